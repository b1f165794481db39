import { describe, expect, test } from '@jest/globals';
import { zeroPadValue } from 'ethers';
import { ERC20 } from '../../src/chain/abi/interfaces.ts';
import type { BookedIntent } from '../../lab/faults/books.ts';
import { readRunHistory } from '../../lab/faults/run-history.ts';
import type { RunParts } from '../../lab/faults/run-history.ts';
import type { Log } from '../../lab/judge/effects.ts';
import { judge } from '../../lab/judge/judge.ts';
import type { Claim } from '../../lab/load/writes.ts';

const CONTRACT = `0x${'ab'.repeat(20)}`;
const OPERATOR = `0x${'0e'.repeat(20)}`;
const OWNER = `0x${'cd'.repeat(20)}`;
const ZERO = `0x${'0'.repeat(64)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const logOf = (transactionHash: string, topics: string[], data: string): Log => ({
  ...{ address: CONTRACT, topics, data, transactionHash },
  ...{ blockNumber: transactionHash, logIndex: '0x0' },
});
/** The NFT of an id. */
const minted = (transaction: string, id = 1): Log =>
  logOf(
    transaction,
    [TRANSFER, ZERO, zeroPadValue(OWNER, 32), `0x${id.toString(16).padStart(64, '0')}`],
    '0x',
  );
function locked(transaction: string, is: boolean): Log {
  const { topics, data } = ERC20.encodeEventLog('TransferLockChanged', [is]);
  return logOf(transaction, topics, data);
}

const intentOf = (change: Partial<BookedIntent> = {}): BookedIntent => ({
  ...{ number: 1n, id: 'one', account: 'account', environment: 'live', kind: 'mint', contract: CONTRACT },
  ...{ asked: { type: 'ERC721', to: OWNER }, calldata: null, status: 'confirmed', sent: true, final: true },
  ...{ units: 1, gas: 0, exempt: false, transaction: '0x01', result: '0x01', error: null },
  ...change,
});
const control = (id: string, kind: string, transaction: string | null): BookedIntent =>
  intentOf({ id, kind, asked: {}, transaction, result: null });
const failed = intentOf({
  status: 'failed',
  transaction: null,
  result: null,
  error: 'CHAIN_ERROR It reverted',
});
const claimOf = (status: number | null, change: Partial<Claim> = {}): Claim => ({
  ...{ kind: 'mint', status, intent: 'one', transaction: '0x01', result: null, cancel: null, unit: null },
  ...change,
});

/** The rules that a run breaks. @param strange logs of transactions that are not the service's */
async function findings(
  logs: readonly Log[],
  parts: Partial<RunParts>,
  strange: readonly Log[] = [],
): Promise<string[]> {
  const provider: RunParts['provider'] = {
    send: async (_method, [filter]) =>
      (filter as { address?: string }).address === OPERATOR ? logs : [...logs, ...strange],
  };
  const nothing = { intents: [], claims: [], lost: [], isBeyondFinal: false };
  const history = await readRunHistory({ ...nothing, provider, operators: OPERATOR, ...parts });
  return judge(history).map(({ rule }) => rule);
}

describe('a run of real processes', () => {
  test.each<[string, Log[], Partial<RunParts>]>([
    [
      'a mint with its answer',
      [minted('0x01')],
      { intents: [intentOf()], claims: [claimOf(200, { result: 1n })] },
    ],
    ['a failure without an answer', [], { intents: [] }],
    [
      'an unknown request that happened',
      [minted('0x01')],
      { intents: [intentOf()], claims: [claimOf(null)] },
    ],
    [
      'an answer that a reorg moved',
      [minted('0x02')],
      { intents: [intentOf({ transaction: '0x02' })], claims: [claimOf(200)] },
    ],
    [
      'controls in their order',
      [locked('0x01', true), locked('0x02', false)],
      { intents: [control('one', 'lock_transfers', '0x01'), control('two', 'unlock_transfers', '0x02')] },
    ],
    [
      'a control that sent nothing since it was so',
      [locked('0x01', true)],
      { intents: [control('one', 'lock_transfers', '0x01'), control('two', 'lock_transfers', null)] },
    ],
    [
      'a cancel',
      [],
      {
        intents: [intentOf({ status: 'cancelled', transaction: null })],
        claims: [claimOf(202, { cancel: 200 })],
      },
    ],
    ['what a lost database knew', [minted('0x01')], { lost: [intentOf({ status: 'queued' })] }],
    [
      'an answer that a reorg deeper than final took back',
      [],
      {
        intents: [intentOf({ status: 'cancelled', transaction: null })],
        claims: [claimOf(200)],
        isBeyondFinal: true,
      },
    ],
  ])('has no violation: %s', async (_, logs, parts) => {
    expect(await findings(logs, parts)).toEqual([]);
  });

  test.each<[string, Log[], Partial<RunParts>, string]>([
    ['a success that the chain does not show', [], { intents: [intentOf()] }, 'lost'],
    ['two effects', [minted('0x01'), minted('0x02', 2)], { intents: [intentOf()] }, 'once'],
    ['an effect that nobody asked for', [minted('0x01')], {}, 'asked for'],
    ['a failure with an effect', [minted('0x01')], { intents: [failed] }, 'an effect of what failed'],
    ['a failure without a reason', [], { intents: [failed] }, 'false failure'],
    ['no verdict', [], { intents: [intentOf({ status: 'queued', transaction: null })] }, 'settled'],
    ['a verdict that cannot be stored', [], { intents: [intentOf({ status: 'quarantined' })] }, 'settled'],
    [
      'a 200 of what failed, though no reorg took it back',
      [locked('0x01', true)],
      { intents: [failed, control('two', 'lock_transfers', '0x01')], claims: [claimOf(200)] },
      'a verdict stays',
    ],
    [
      'a 502 of what is done',
      [minted('0x01')],
      { intents: [intentOf()], claims: [claimOf(502)] },
      'a verdict stays',
    ],
    [
      'a 200 with a mined transaction of something else',
      [minted('0x01'), locked('0x02', true)],
      {
        intents: [intentOf(), control('two', 'lock_transfers', '0x02')],
        claims: [claimOf(200, { transaction: '0x02' })],
      },
      'a verdict stays',
    ],
    ['an id of another one', [minted('0x01', 2)], { intents: [intentOf()] }, 'the effect that is reported'],
    [
      'a granted cancel of what is done',
      [minted('0x01')],
      { intents: [intentOf()], claims: [claimOf(202, { transaction: null, cancel: 200 })] },
      'cancel',
    ],
    [
      'a control that undid a later one',
      [locked('0x01', false), locked('0x02', true)],
      { intents: [control('one', 'lock_transfers', '0x02'), control('two', 'unlock_transfers', '0x01')] },
      'order of controls',
    ],
    [
      'what a lost database knew, twice',
      [minted('0x01'), minted('0x02', 2)],
      { lost: [intentOf({ status: 'queued' })] },
      'once',
    ],
  ])('has a violation: %s', async (_, logs, parts, rule) => {
    expect(await findings(logs, parts)).toContain(rule);
  });

  test('is not judged by what others send to the same contract', async () => {
    expect(await findings([minted('0x01')], { intents: [intentOf()] }, [minted('0x09', 9)])).toEqual([]);
  });
});
