import type { components } from '../../../../../generated/api.ts';
import { NEW_CONTRACT, readContract } from '../../parts/bounds/bounds-draft.ts';
import type { ContractDraft, Faults } from '../../parts/bounds/bounds-draft.ts';
import { byteLength } from '../../parts/bytes.ts';
import type { TokenType } from './standards.ts';

export interface DeployDraft extends ContractDraft {
  type: TokenType;
  decimals: number;
  isPermissionless: boolean;
  baseUri: string;
}

export const NEW_TOKEN: DeployDraft = {
  ...NEW_CONTRACT,
  type: 'ERC20',
  decimals: 18,
  isPermissionless: true,
  baseUri: '',
};

const MAX_BASE_URI_BYTES = 256;

/** The request of a draft, as far as it can be read, and what is wrong with it. Defaults of the API are left out. */
export function readDeployment(draft: DeployDraft): {
  body: components['schemas']['DeployTokenRequest'];
  faults: Faults;
} {
  const { type, decimals, isPermissionless } = draft;
  const who = isPermissionless ? {} : { isPermissionless };
  if (type === 'ERC20') {
    const { fields, faults } = readContract({ ...draft, royalty: NEW_CONTRACT.royalty }, decimals);
    return { body: { type, ...fields, ...(decimals === 18 ? {} : { decimals }), ...who }, faults };
  }
  const { fields, faults } = readContract(draft, 0);
  const baseUri = draft.baseUri.trim();
  if (byteLength(baseUri) > MAX_BASE_URI_BYTES)
    faults['baseUri'] = `It has ${byteLength(baseUri)} bytes; ${MAX_BASE_URI_BYTES} fit`;
  return { body: { type, ...fields, ...(baseUri === '' ? {} : { baseUri }), ...who }, faults };
}
