import { AppError } from '../errors.ts';
import { withPublicUrl } from './document.ts';
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
  // In the text: to parse the document and to write it again would hold up every start for a third of a second.
  const served = withPublicUrl(contract.text, publicUrl.href);
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
