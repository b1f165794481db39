import { describe, expect, test } from '@jest/globals';
import type { Contract } from 'ethers';
import { flawsOf } from '../../lab/faults/outcome.ts';
import { decodeExecution, encodeExecution } from '../../src/chain/abi/execution.ts';
import { abisOf } from '../../src/chain/system/system-contracts.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { toBytes, toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { judge } from '../../lab/faults/judge.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { goOn, signIn } from './go-on.ts';
import { versions } from '../../lab/upgrade/snapshot.ts';

const QUIET_MS = 60_000;

describe.each(versions)('over what version %s left', (version) => {
  test('what was queued or in flight is done exactly once, and its tokens go on', async () => {
    await using stand = await goOn(version);
    const { mintmark, story, anvil } = stand;
    const account = await signIn(mintmark, story);
    for (const id of story.open) await waitForStatus(account, id, 'confirmed');
    using chain = openChain(mintmark);
    const [coin, art] = [chain.erc20(story.coin), chain.erc721(story.art)];
    const suppliesOf = (contracts: Contract[]) =>
      Promise.all(contracts.map(async (contract) => String(await contract['totalSupply']!())));
    expect(await suppliesOf([coin, art])).toEqual([story.units, story.tokens]);
    expect((await requestMint(account, story.coin, { amount: '5' })).status).toBe(200);
    expect(await suppliesOf([coin])).toEqual([String(BigInt(story.units) + 5n)]);
    const { db } = mintmark.service.context;
    expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
    const log = { acknowledged: new Set(story.open), unknown: 0, refused: [], claims: [] };
    const judgement = await judge(db, anvil.url, story.operator, log);
    expect(flawsOf({ judgement, flaws: [] })).toEqual([]);
  });

  test('old tokens are called through their own Operator, new ones are of this edition', async () => {
    await using stand = await goOn(version);
    const { mintmark, story, anvil } = stand;
    const { db, system } = mintmark.service.context;
    const account = await signIn(mintmark, story);
    const fresh = await deployToken(account);
    using chain = openChain(mintmark);
    const operatorIn = async (token: string): Promise<string> =>
      String(await chain.erc20(token)['operator']!()).toLowerCase();
    expect([await operatorIn(fresh), await operatorIn(story.coin)]).toEqual([
      system.operator,
      story.operator,
    ]);
    expect(system.operator).not.toBe(story.operator);
    // Several in one block, so that some share a transaction.
    await anvil.call('evm_setAutomine', [false]);
    const mints = [fresh, story.coin].flatMap((token) =>
      Array.from({ length: 5 }, () => requestMint(account, token, { amount: '2', prefer: 'respond-async' })),
    );
    const asked = await Promise.all(mints);
    await anvil.call('evm_setAutomine', [true]);
    await anvil.call('evm_mine');
    const ids = [...story.open, ...asked.map(({ intentId }) => intentId!)];
    for (const id of ids) await waitForStatus(account, id, 'confirmed');
    const through = await query<{ contract: Buffer; operator: Buffer; sent: Buffer }>(
      db,
      `select distinct i.contract, i.operator, t.operator as sent
         from intents i join transaction_intents m on m.intent_number = i.number join transactions t on t.id = m.transaction_id
        where i.contract = any(:contracts::bytea[])`,
      { contracts: [fresh, story.coin].map(toBytes) },
    );
    const [ofFresh, ofCoin] = [fresh.toLowerCase(), story.coin.toLowerCase()];
    expect(new Map(through.map(({ contract, operator }) => [toHex(contract), toHex(operator)]))).toEqual(
      new Map([
        [ofFresh, system.operator],
        [ofCoin, story.operator],
      ]),
    );
    expect(through.filter(({ operator, sent }) => !operator.equals(sent))).toEqual([]);
    expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
    const log = { acknowledged: new Set(ids), unknown: 0, refused: [], claims: [] };
    const judgement = await judge(db, anvil.url, [story.operator, system.operator], log);
    expect(flawsOf({ judgement, flaws: [] })).toEqual([]);
  });

  test("no Operator takes calldata of another one's edition, and each that of its own", async () => {
    await using stand = await goOn(version);
    const { rpc, system } = stand.mintmark.service.context;
    const ask = (to: Hex, data: Hex) =>
      rpc.call<Hex>('eth_call', [{ from: embeddedAccounts[0].address, to, data }, 'latest']);
    for (const [operator, abi] of abisOf(system))
      for (const { abi: other } of [system, ...system.former]) {
        const answer = ask(operator, encodeExecution(other, 1n, []));
        if (other === abi) expect(decodeExecution(await answer)).toEqual([]);
        else await expect(answer).rejects.toThrow();
      }
  });

  test('a restart goes on with both Operators', async () => {
    await using stand = await goOn(version);
    const { mintmark, story } = stand;
    await mintmark.restart();
    const account = await signIn(mintmark, story);
    for (const id of story.open) await waitForStatus(account, id, 'confirmed');
    expect((await requestMint(account, story.coin, { amount: '5' })).status).toBe(200);
  });
});
