import path from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Suites that take long, slowest first, for a clone that has not run them: later Jest knows how long each took. */
const SLOWEST = [
  'ops/handbook',
  'engine/deep-reorg',
  'ops/operate',
  'features/docs-browser',
  'engine/webhooks',
  'engine/contract-order',
  'engine/kill',
  'faults/rows',
  'admin/commands',
  'engine/freed-nonces',
  'engine/reader-change',
  'start/silent-database',
  'embedded/postgres',
  'db/connection',
  'ops/verify',
  'security/fuzz',
  'engine/resend',
  'engine/reorg',
  'engine/paused-lanes',
  'security/slow-clients',
  'engine/out-of-reach',
  'features/controls',
  'admin/chain',
  'engine/restored-backup',
  'features/webhooks',
  'bootstrap',
  'contracts/console',
  'engine/long-idle',
  'contracts/descriptor',
  'engine/depth',
  'http/mock',
  'engine/hostile-receivers',
  'chain/rpc-failover',
  'security/login',
  'features/deploy-unavailable',
  'features/unreachable',
  'engine/lossy-failover',
  'admin/embedded',
  'admin/bury',
  'engine/fee-models',
  'sdk',
  'engine/database-crash',
  'engine/on-demand',
  'engine/control-after-reorg',
  'engine/faulty-rpc',
  'contracts/compile',
  'engine/fees',
  'documented-examples',
  'security/canaries',
  'features/collections',
  'features/metrics',
  'engine/aggregation',
  'features/idempotency',
  'engine/graceful-stop',
  'embedded/chain',
  'security/matrix',
  'features/explorer',
  'features/metering',
  'engine/unaffordable',
  'features/credits',
  'features/explorer-browser',
  'admin/intents',
  'features/every-operation',
  'features/webhook-tls',
].map((name) => path.join(import.meta.dirname, '..', `${name}.test.ts`));

/** Plain JavaScript: TypeScript takes the module's types for those of CommonJS. Begins with the slowest suites, so that none is left for the end, when other workers have nothing to do any more. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const place = new Map(SLOWEST.map((file, index) => [file, index]));
    const placeOf = ({ path }) => place.get(path) ?? SLOWEST.length;
    return sorted.sort((one, other) => placeOf(one) - placeOf(other));
  }
}
