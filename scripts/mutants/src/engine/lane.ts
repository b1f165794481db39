import type { Mutant } from '../../mutant.ts';

export const lane: readonly Mutant[] = [
  {
    name: 'no resend on recovery',
    file: 'src/engine/lane/recover.ts',
    find: 'await resendOpen(lane);',
    replace: '',
    suites: ['test/engine/resend.test.ts'],
  },
  {
    name: 'no resend by time',
    file: 'src/engine/run/follow-chain.ts',
    find: '} else if (at - watch.sentAt > lane.config.timings.resendMs) {',
    replace: '} else if (false) {',
    suites: ['test/engine/resend.test.ts'],
  },
  {
    name: 'foreign nonces looked for only when blocks go by',
    file: 'src/engine/run/follow-chain.ts',
    find: `    await requeueNoncesLost(lane);
  }
  return moved;`,
    replace: `  }
  return moved;`,
    suites: ['test/engine/nonce-taken.test.ts'],
  },
  {
    name: 'a queue that is looked at only on a notice',
    file: 'src/engine/run/hold-lane.ts',
    find: "if (dispatched === 'nothing') return wakeups.queue.wait(timings.queueLookMs);",
    replace: "if (dispatched === 'nothing') return wakeups.queue.wait(3_600_000);",
    suites: ['test/engine/lost-notices.test.ts'],
  },
  {
    name: 'an error that is met as fast as the machine can',
    file: 'src/engine/run/run-lane.ts',
    find: 'await sleep(timings.backoffMs, undefined, { signal: stopping }).catch(() => undefined);',
    replace: '',
    suites: ['test/engine/backoff.test.ts'],
  },
  {
    name: 'an outage believed at the first failure',
    file: 'src/engine/run/backoff.ts',
    find: 'rpc.unreachableForMs() >= config.timings.outOfReachMs',
    replace: 'rpc.unreachableForMs() >= 0',
    suites: ['test/engine/faulty-rpc.test.ts', 'test/features/unreachable.test.ts'],
  },
  {
    name: 'a lease that outlives its holder',
    file: 'src/engine/lane/lease.ts',
    find: 'await endLease(lane.db, lane.key).catch(() => undefined);',
    replace: '',
    suites: ['test/engine/graceful-stop.test.ts', 'test/ops/operate.test.ts'],
  },
  {
    name: 'only the last bid sent again',
    file: 'src/engine/lane/broadcast.ts',
    find: 'sendAttempts(lane, transaction, transaction.attempts);',
    replace: 'sendAttempts(lane, transaction, transaction.attempts.slice(-1));',
    suites: ['test/engine/fees.test.ts'],
  },
  {
    name: 'a signer that runs dry and says nothing',
    file: 'src/engine/lane/broadcast.ts',
    find: 'if (unpaid.includes(true)) await checkFunds(lane);',
    replace: '',
    suites: ['test/engine/fees.test.ts', 'test/features/deploy-unavailable.test.ts'],
  },
];
