import { parseDocument } from 'yaml';
import type { Contract } from './document.ts';
import type { Handlers } from './operation.ts';

/** The operations that belong to no feature. */
export const createServiceHandlers = ({ contract, publicUrl }: { contract: Contract; publicUrl: URL }) => {
  const document = parseDocument(contract.text);
  document.setIn(['servers', 0, 'url'], publicUrl.href.replace(/\/$/, ''));
  const served = document.toString({ lineWidth: 0 });
  return {
    getHealth: async () => ({ status: 200, body: { ok: true } }),
    getOpenapi: async () => ({ status: 200, body: served }),
  } satisfies Pick<Handlers, 'getHealth' | 'getOpenapi'>;
};
