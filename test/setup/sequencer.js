import path from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Suites that take long, slowest first, for a clone that has not run them: later Jest knows how long each took. */
const SLOWEST = [
  'engine/kill',
  'engine/webhooks',
  'ops/operate',
  'features/docs-browser',
  'engine/contract-order',
  'engine/reorg',
  'engine/fees',
  'features/webhooks',
  'engine/overtaking',
  'engine/faulty-rpc',
  'engine/out-of-reach',
  'engine/graceful-stop',
  'engine/database-crash',
  'embedded/postgres',
  'admin/embedded',
  'admin/chain',
  'sdk',
  'features/credits',
  'features/metrics',
  'features/unreachable',
  'features/intents',
  'bootstrap',
  'features/deploy-unavailable',
  'features/collections',
  'features/idempotency',
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
