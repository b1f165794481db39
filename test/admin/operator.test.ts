import { expect, test } from '@jest/globals';
import { administer, administerAll } from '../../src/admin/operator.ts';
import { PROFILES } from '../../src/chain/profile.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const [NEW, FORMER] = [`0x${'02'.repeat(20)}`, `0x${'01'.repeat(20)}`] as const;
const { db } = useSuiteDatabase(1);

test('each Operator is asked for, though the key of the first one is elsewhere', async () => {
  using rpc = createRpc(['http://127.0.0.1:1']);
  const chain = {
    ...{ rpc, chainId: 1n, profile: PROFILES['ethereum']! },
    ...{ operator: NEW, formerOperators: [FORMER] },
  };
  const asked: Hex[] = [];
  const isAllowed = async (_rpc: unknown, operator: Hex): Promise<boolean> => {
    asked.push(operator);
    return false;
  };
  const signers = async () => [createKeySigner(embeddedAccounts[0].privateKey)];
  const administrator = { db, log: createLogger('silent'), signers };
  const outcome = await administerAll(
    chain,
    async () => true,
    (operator) => administer(administrator, chain, { operator, data: '0x', isAllowed }),
  );
  expect(asked).toEqual([NEW, FORMER]);
  expect(outcome).toMatchObject({ sent: false, to: NEW });
});
