import { expect, test } from '@jest/globals';
import { createNetworkFault } from '../../lab/faults/network.ts';
import { flawsOf, runOf } from '../../lab/faults/outcome.ts';
import type { FaultRun } from '../../lab/faults/outcome.ts';
import { PLANNED } from '../../lab/faults/rows.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { until } from '../setup/until.ts';
import { setBalance } from '../../lab/faults/node-faults.ts';

const ROW = 'lane without funds';

const runFor = (name: string): FaultRun => ({
  ...runOf(Number(process.env['SEED'] ?? 1), name, 0.05),
  blockMs: 250,
});

test('lanes whose signers have no funds keep no deployment from the others', async () => {
  expect(flawsOf(await PLANNED[ROW]!.fault(runFor(ROW)))).toEqual([]);
});

test('what a signer had sent before its funds were gone waits until it has some again', async () => {
  let sent: { id: string; signer: Hex } | undefined;
  const { fault } = createNetworkFault<'hold' | 'empty'>({
    hasSigners: true,
    worksMeanwhile: true,
    made: () => '1 signer is emptied',
    plan: () => ({
      writes: [0, 1, 2].map((target) => ({ kind: 'deploy', target, isWaiting: false })),
      troubles: [
        { at: { call: 1 }, what: 'hold' },
        { at: { write: 1 }, what: 'empty' },
      ],
    }),
    apply: async (trouble, { anvil, stage }) => {
      if (trouble === 'hold') return anvil.stopBlocks();
      const { db } = stage.mintmark.service.context;
      sent = await until(async () => {
        const [open] = await query<{ id: string; signer: Hex }>(
          db,
          `select i.id, t.signer from transactions t
             join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
            where t.status = 'open'`,
        );
        return open;
      });
      await setBalance(anvil, sent.signer, 0n);
      anvil.startBlocks();
    },
    end: async ({ anvil, stage }) => {
      const { engine } = stage.mintmark.service.context;
      await until(async () => (await engine.explain(sent!.id))?.cause.includes('cannot pay for gas'));
      for (const { address } of embeddedAccounts) await setBalance(anvil, address, 10n ** 24n);
    },
  });
  expect(flawsOf(await fault(runFor('emptied signer')))).toEqual([]);
});
