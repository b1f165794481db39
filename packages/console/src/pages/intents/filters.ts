import { useLocation, useSearch } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { nameKind } from '../../parts/intent-kinds.ts';

type Kind = components['schemas']['IntentKind'];
type Status = components['schemas']['IntentStatusFilter'];

/** In the order in which an intent comes through them. */
export const STATUSES = [
  'open',
  'queued',
  'submitted',
  'confirmed',
  'failed',
  'cancelled',
] as const satisfies readonly Status[];

const NAMES: Record<Kind, true> = {
  deploy_token: true,
  create_collection: true,
  mint: true,
  batch_mint: true,
  set_metadata: true,
  freeze_metadata: true,
  unfreeze_metadata: true,
  set_royalty: true,
  set_mint_limit: true,
  close_mint: true,
  reopen_mint: true,
  renounce_controls: true,
  restore_controls: true,
  pause: true,
  unpause: true,
  lock_transfers: true,
  unlock_transfers: true,
  freeze: true,
  unfreeze: true,
  approve_account: true,
  unapprove_account: true,
  force_transfer: true,
};
/** Every kind of the contract: the compiler says when one is missing. */
export const KINDS = (Object.keys(NAMES) as Kind[]).map((value) => ({ value, label: nameKind(value) }));

export interface Filters {
  status?: Status;
  kind?: Kind;
  /** An address. */
  contract?: string;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export const isAddress = (typed: string): boolean => ADDRESS.test(typed);

function read(search: string): Filters {
  const given = new URLSearchParams(search);
  const status = STATUSES.find((each) => each === given.get('status'));
  const kind = KINDS.find(({ value }) => value === given.get('kind'))?.value;
  const contract = given.get('contract') ?? '';
  return {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(isAddress(contract) && { contract }),
  };
}

/** Takes every filter away. */
export const NO_FILTERS = { status: undefined, kind: undefined, contract: undefined };

/** The filters, which are kept in the address of the page: it can be sent to a colleague, and a reload keeps them. */
export function useFilters(): [
  Filters,
  (changed: { [Name in keyof Filters]: Filters[Name] | undefined }) => void,
] {
  const filters = read(useSearch());
  const [path, navigate] = useLocation();
  return [
    filters,
    (changed) => {
      const given = Object.entries({ ...filters, ...changed }).filter(([, value]) => value);
      const search = new URLSearchParams(given).toString();
      navigate(search ? `${path}?${search}` : path, { replace: true });
    },
  ];
}
