import { count, briefAddressLink } from './elements.ts';
import type { Scene } from './elements.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import type { CallGroup, Contents } from './store.ts';

/** One and several of each kind of intent; a kind without a word of its own is named by its own name. */
const WORDS: Record<string, readonly [string, string]> = {
  deploy_token: ['deployment of', 'deployments of'],
  create_collection: ['creation of', 'creations of'],
  mint: ['mint of', 'mints of'],
  batch_mint: ['batch mint of', 'batch mints of'],
  set_metadata: ['change of metadata of', 'changes of metadata of'],
  lock_transfers: ['lock of transfers of', 'locks of transfers of'],
  unlock_transfers: ['unlock of transfers of', 'unlocks of transfers of'],
  approve_account: ['approval of an account of', 'approvals of accounts of'],
  unapprove_account: ['end of an approval of', 'ends of approvals of'],
};

/** What a transaction does in words, such as `3 mints of Harbour Lights to 0x34…`. */
export function summarise(scene: Scene, { groups, calls }: Contents): Html {
  if (calls === 0) return html`No call: it keeps the order of nonces`;
  const shown = groups.reduce((sum, group) => sum + group.count, 0);
  return html`${groups.map((group, index) => html`${index > 0 ? ', ' : ''}${describe(scene, group)}`)}${
    calls > shown ? html`, and ${count(BigInt(calls - shown))} more calls` : ''
  }`;
}

function describe(scene: Scene, { kind, contract, count: times, to }: CallGroup): Html {
  const own = kind.replaceAll('_', ' ');
  const [one, several] = WORDS[kind] ?? [`${own} of`, `${own} of`];
  return html`${count(BigInt(times))} ${times === 1 ? one : several}
  ${briefAddressLink(scene, contract)}${to ? html` to ${briefAddressLink(scene, to)}` : ''}`;
}
