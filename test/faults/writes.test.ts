import { expect, test } from '@jest/globals';
import { startTestService } from '../../lab/stage/service.ts';
import { deployTargets, emptyLog } from '../../lab/load/load.ts';
import { createRandom } from '../../lab/random.ts';
import { drawWrites, makeWrites } from '../../lab/load/writes.ts';
import type { Write } from '../../lab/load/writes.ts';

test('some writes are followed by a cancel, and the others are the same with and without', () => {
  const draw = (cancels: number): Write[] => drawWrites(createRandom('7'), 200, { targets: 3, cancels });
  const cancels = draw(0.2).flatMap((write) => write.cancels ?? []);
  expect(cancels.length).toBeGreaterThan(20);
  expect(cancels.length).toBeLessThan(60);
  expect(new Set(cancels)).toEqual(new Set([0, 1, 2]));
  expect(draw(0.2)).toMatchObject(draw(0));
});

test('what was only accepted is cancelled, and what was told of ids is kept', async () => {
  await using mintmark = await startTestService();
  const targets = await deployTargets([await mintmark.register()], () => true);
  const log = emptyLog();
  const mint = { kind: 'mint', target: 0 } as const;
  await makeWrites(
    [
      { ...mint, isWaiting: true, cancels: 0 },
      { ...mint, isWaiting: false, cancels: 0 },
      { ...mint, isWaiting: true, cancels: 1 },
    ],
    targets,
    log,
  );
  const [first, second, third] = log.claims;
  expect(first).toMatchObject({ status: 200, result: 1n, cancel: null });
  expect([200, 409]).toContain(second!.cancel);
  expect(third).toMatchObject({ status: 200, result: second!.cancel === 200 ? 2n : 3n });
});
