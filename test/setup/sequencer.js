import path from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Suites that take long, slowest first, for a clone that has not run them: later Jest knows how long each took. */
const SLOWEST = [
  'engine/deep-reorg',
  'ops/operate',
  'engine/webhooks',
  'features/docs-browser',
  'engine/kill',
  'engine/contract-order',
  'faults/rows',
  'admin/commands',
  'start/silent-database',
  'admin/intents',
  'engine/reorg',
  'embedded/postgres',
  'admin/chain',
  'engine/restored-backup',
  'db/connection',
  'engine/paused-lanes',
  'sdk',
  'security/slow-clients',
  'engine/faulty-rpc',
  'chain/rpc-failover',
  'features/webhooks',
  'engine/depth',
  'features/every-operation',
  'engine/fee-models',
  'engine/freed-nonces',
  'documented-examples',
  'security/matrix',
  'features/unreachable',
  'bootstrap',
  'engine/fees',
  'engine/on-demand',
  'admin/embedded',
  'features/deploy-unavailable',
  'features/webhook-tls',
  'engine/database-crash',
  'ops/verify',
  'engine/graceful-stop',
  'features/metrics',
  'engine/lossy-failover',
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
