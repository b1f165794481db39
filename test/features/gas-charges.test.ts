import { describe, expect, test } from '@jest/globals';
import type { GasUse, Intent, VerdictChange } from '../../src/engine/intent.ts';
import { chargeOf, estimateDraw } from '../../src/features/metering/gas.ts';
import { BRAKES } from '../../src/lib/brakes.ts';

const OWN = 420_000;
const MINT = { kind: 'mint', arguments: { type: 'ERC721', to: '0x' } };
const BATCH = { kind: 'batch_mint', arguments: { recipients: ['0x', '0x', '0x'] } };
const FREE = { kind: 'set_metadata', arguments: { tokenId: null } };

describe('what a request holds of the day', () => {
  const draw = (asked: typeof MINT | typeof BATCH | typeof FREE, gas: number | null) =>
    estimateDraw({ ...asked, accountId: 'account', cost: null, gas, refusal: null });

  test('is its estimate without the gas that its units bring along', () => {
    expect(draw(FREE, 100_000)).toBe(100_000);
    expect(draw(MINT, OWN)).toBe(0);
    expect(draw(MINT, OWN + 1)).toBe(1);
    expect(draw(BATCH, 3 * OWN + 1)).toBe(1);
    expect(draw({ kind: 'deploy_token', arguments: {} } as typeof MINT, OWN + 1)).toBe(1);
    expect(draw({ kind: 'create_collection', arguments: {} } as typeof MINT, OWN + 1)).toBe(1);
  });

  test('is nothing when it calls nothing', () => {
    expect(draw(FREE, null)).toBeNull();
  });
});

describe('what a verdict charges', () => {
  const createdAt = new Date();
  const intentOf = (asked: typeof MINT | typeof BATCH | typeof FREE): Intent => ({
    ...{
      number: 1n,
      id: 'id',
      accountId: 'account',
      environment: 'live',
      contract: '0x',
      status: 'confirmed',
    },
    ...{
      result: null,
      error: null,
      transactionHash: null,
      burntGas: 0,
      token: null,
      firstTokenId: null,
      callHead: null,
      sequence: 0,
      held: null,
      heldGas: null,
      chargedGas: null,
      createdAt,
      updatedAt: createdAt,
      ...asked,
    },
  });
  /** Throws when nobody has to pay: that would ask the chain. */
  const gas = (guess: number, exact?: number): GasUse => ({
    guess,
    exact: () => {
      if (exact === undefined) throw new Error('asked for the receipt');
      return exact;
    },
  });
  const verdict = (
    asked: typeof MINT | typeof BATCH | typeof FREE,
    outcome: VerdictChange['outcome'],
    use: GasUse | null,
  ): VerdictChange => ({ intent: intentOf(asked), outcome, notifyAccount: false, gas: use });
  const charged = (one: VerdictChange, heldGas: number | null = null): number =>
    chargeOf({ ...one, intent: { ...one.intent, heldGas } });
  const HELD = 9;

  test('is all of a free write', () => {
    expect(charged(verdict(FREE, 'final', gas(100, 90)))).toBe(90);
  });

  test('is of a unit what is beyond its own, and no more than it held: its receiver may use the rest', () => {
    expect(charged(verdict(MINT, 'final', gas(OWN + 100, OWN + 8)), HELD)).toBe(8);
    expect(charged(verdict(BATCH, 'final', gas(3 * OWN + 100, 3 * OWN + 8)), HELD)).toBe(8);
    expect(charged(verdict(MINT, 'final', gas(OWN + 100, OWN + 90)), HELD)).toBe(9);
    expect(charged(verdict(MINT, 'final', gas(OWN + 1, OWN)), HELD)).toBe(0);
    expect(charged(verdict(MINT, 'final', gas(2 * OWN)))).toBe(0);
  });

  test('is all of a brake that held gas, and nothing of one that passed without', () => {
    for (const kind of BRAKES) {
      const brake = verdict({ kind, arguments: {} } as typeof FREE, 'final', gas(100, 90));
      expect(charged(brake, HELD)).toBe(90);
      expect(charged(brake)).toBe(0);
    }
    expect(charged(verdict({ kind: 'unpause', arguments: {} } as typeof FREE, 'final', gas(100, 90)))).toBe(
      90,
    );
  });

  test('asks for no receipt while the guess is within the own gas', () => {
    expect(charged(verdict(MINT, 'final', gas(OWN)))).toBe(0);
  });

  test('is all of a failure on the chain, whatever it was', () => {
    expect(charged(verdict(MINT, 'failed', gas(100, 90)))).toBe(90);
    expect(charged(verdict(FREE, 'failed', gas(100, 90)))).toBe(90);
  });

  test('is what a first try burnt as well, unless a second one succeeds', () => {
    const burnt = (one: VerdictChange): VerdictChange => ({
      ...one,
      intent: { ...one.intent, burntGas: 1_000 },
    });
    expect(charged(burnt(verdict(MINT, 'failed', null)))).toBe(1_000);
    expect(charged(burnt(verdict(MINT, 'failed', gas(100, 90))))).toBe(1_090);
    expect(charged(burnt(verdict(MINT, 'cancelled', null)))).toBe(1_000);
    expect(charged(burnt(verdict(MINT, 'final', gas(OWN))))).toBe(0);
  });

  test('is nothing of what was never sent, and the estimate of an effect whose gas nobody can tell', () => {
    expect(charged(verdict(FREE, 'failed', null), HELD)).toBe(0);
    expect(charged(verdict(FREE, 'cancelled', null), HELD)).toBe(0);
    expect(charged(verdict(FREE, 'final', null), HELD)).toBe(9);
    expect(charged(verdict(MINT, 'final', null))).toBe(0);
  });
});
