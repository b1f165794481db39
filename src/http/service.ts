import { parseDocument } from 'yaml';
import { AppError } from '../errors.ts';
import type { Contract } from './document.ts';
import type { Handlers } from './operation.ts';

/** `/health`, `/ready` and `/openapi.yaml`: the operations that belong to no feature. */
export function createServiceHandlers({
  contract,
  publicUrl,
  readiness,
}: {
  contract: Contract;
  publicUrl: URL;
  /** What is out of order, in sentences. */
  readiness: () => Promise<readonly string[]>;
}) {
  const document = parseDocument(contract.text);
  document.setIn(['servers', 0, 'url'], publicUrl.href.replace(/\/$/, ''));
  const served = document.toString({ lineWidth: 0 });
  return {
    getHealth: async () => ({ status: 200, body: { ok: true } }),
    getReady: async () => {
      const reasons = await readiness();
      if (reasons.length > 0) throw new AppError('NOT_READY', reasons.join(' '));
      return { status: 200, body: { ready: true } };
    },
    getOpenapi: async () => ({ status: 200, body: served }),
  } satisfies Pick<Handlers, 'getHealth' | 'getReady' | 'getOpenapi'>;
}
