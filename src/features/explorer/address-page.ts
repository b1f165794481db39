import { presentAddress } from '../../chain/address.ts';
import { addressLink, badge, briefTransactionLink, count, ether, facts, time } from './elements.ts';
import type { Row, Scene } from './elements.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import type { ShownAddress } from './read-address.ts';
import type { SentTransaction } from './store.ts';
import { summarise } from './summary.ts';
import { showToken } from './token-page.ts';

const PARTS: Record<string, string> = {
  TokenDescriptor: 'Renders the JSON of tokens, and draws those that have no image.',
  ManagedERC20: 'The code that every ERC-20 of this service runs.',
  ManagedERC721: 'The code that every ERC-721 of this service runs.',
  TokenFactory: 'Creates the ERC-20 tokens of this service.',
  CollectionFactory: 'Creates the ERC-721 collections of this service.',
};

/** Title and content of the page of an address. */
export function showAddress(scene: Scene, shown: ShownAddress): { title: string; content: Html } {
  const { address, balance, nonce, subject } = shown;
  const always: Row[] = [
    ['Address', html`<code>${presentAddress(address)}</code>`],
    ['Balance', ether(balance)],
  ];
  switch (subject.kind) {
    case 'token':
      return showToken(scene, address, always, subject);
    case 'operator':
      return {
        title: 'Operator',
        content: html`<p>The one caller through which this service acts on its tokens.</p>
          <section class="card">
            ${facts([
              ...always,
              ['Signers', listOf(subject.signers.map((signer) => addressLink(scene, signer)))],
            ])}
          </section>
          ${showSentList(scene, subject.sent)}`,
      };
    case 'factory':
      return {
        title: subject.name,
        content: html`<p>${PARTS[subject.name]!}</p>
          <section class="card">
            ${facts([...always, ['State', subject.paused ? badge('paused', 'bad') : badge('open', 'good')]])}
          </section>`,
      };
    case 'part':
      return {
        title: subject.name,
        content: html`<p>${PARTS[subject.name]!}</p>
          <section class="card">${facts(always)}</section>`,
      };
    case 'contract':
      return {
        title: 'A contract',
        content: html`<p>None of this service; what it does is not known here.</p>
          <section class="card">
            ${facts([...always, ['Nonce', html`${nonce}`], ['Code', `${count(BigInt(subject.bytes))} bytes`]])}
          </section>`,
      };
    case 'account':
      return {
        title: subject.signs ? 'Signer of this service' : 'Account',
        content: html`<section class="card">
            ${facts([
              ...always,
              ['Nonce', html`${nonce}`],
              ...(subject.executor
                ? [['Role', 'executor: may send calls through the Operator'] as const]
                : []),
              ...(subject.admin
                ? [['Role', 'admin of the Operator: may change roles and owners'] as const]
                : []),
            ])}
          </section>
          ${showSentList(scene, subject.sent)}`,
      };
  }
}

function listOf(items: readonly Html[]): Html {
  return items.length === 0
    ? html`<span class="quiet">none yet</span>`
    : html`<ul class="plain">
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
}

const STATES = {
  open: badge('waiting', 'mild'),
  mined: badge('mined', 'good'),
  final: badge('mined', 'good'),
  displaced: badge('displaced', 'bad'),
};

export const SENT_HEADING = html`<h2>Newest transactions of this service</h2>`;

/** Transactions of this service. */
export function showSentList(scene: Scene, sent: readonly SentTransaction[]): Html {
  if (sent.length === 0) return html``;
  return html`${SENT_HEADING}
    <section class="card">
      <ul class="plain">
        ${sent.map(
          ({ hash, contents, status, createdAt }) =>
            html`<li>
              <div class="head">
                <span>${summarise(scene, contents)}</span>
                <span>${STATES[status]} <span class="quiet">${time(createdAt)}</span></span>
              </div>
              ${briefTransactionLink(scene, hash)}
            </li>`,
        )}
      </ul>
    </section>`;
}
