import { describe, expect, test } from '@jest/globals';
import { parseProfile } from '../../src/chain/profile-fields.ts';
import { PROFILES, profileOf } from '../../src/chain/profile.ts';

/** So long an answer may wait for finality. */
const ANSWER_MS = 45_000;
/** Milliseconds between two blocks, as docs/chains.md has them; on a developer's node a guess. */
const BLOCK_TIMES_MS: Readonly<Record<string, number>> = {
  ethereum: 12_000,
  sepolia: 12_000,
  base: 2_000,
  'base-sepolia': 2_000,
  optimism: 2_000,
  arbitrum: 250,
  polygon: 2_000,
  avalanche: 2_000,
  bnb: 450,
  'besu-gasless': 2_000,
  anvil: 1_000,
  hardhat: 1_000,
  unknown: 12_000,
};

describe('the profile of a chain', () => {
  test.each([
    [1n, '', 'ethereum'],
    [11_155_111n, '', 'sepolia'],
    [8_453n, '', 'base'],
    [84_532n, '', 'base-sepolia'],
    [10n, '', 'optimism'],
    [42_161n, '', 'arbitrum'],
    [137n, '', 'polygon'],
    [43_114n, '', 'avalanche'],
    [56n, '', 'bnb'],
    [31_337n, 'anvil/v1.7.1', 'anvil'],
    [31_337n, 'HardhatNetwork/3.18.0/@nomicfoundation/edr/0.12', 'hardhat'],
    [1_337n, 'anvil/v1.7.1', 'anvil'],
    [1_337n, 'Geth/v1.16.7-stable/linux-amd64/go1.25', 'unknown'],
    [1_337n, '', 'unknown'],
    // Only the chain ids that developers' nodes share are told apart by the client.
    [1n, 'anvil/v1.7.1', 'ethereum'],
    [9_999n, '', 'unknown'],
  ])('of chain %s, where the node says "%s", is %s', (chainId, version, name) => {
    expect(profileOf(chainId, {}, version)).toEqual(PROFILES[name]);
    expect(PROFILES[name]).toMatchObject({ name });
  });

  test('is another one when a name or fields are given', () => {
    expect(profileOf(9_999n, { name: 'besu-gasless' })).toEqual(PROFILES['besu-gasless']);
    const fields = { finality: 'safe', maxFeePerGas: 7n } as const;
    expect(profileOf(1n, { fields })).toEqual({ ...PROFILES['ethereum'], ...fields });
  });
});

describe.each(Object.values(PROFILES))('$name', (profile) => {
  const blockTimeMs = BLOCK_TIMES_MS[profile.name]!;

  test('is final before an answer has waited for 45 s', () => {
    expect(Number(profile.finality) * blockTimeMs).toBeLessThanOrEqual(ANSWER_MS);
    expect(Number(profile.finality)).toBeGreaterThanOrEqual(1);
  });

  test('waits for some blocks before a transaction counts as stuck', () => {
    expect(profile.stuckMs).toBeGreaterThanOrEqual(3 * blockTimeMs);
  });

  test('keeps to what every node takes of a transaction', () => {
    expect(profile.maxTransactionGas).toBeLessThanOrEqual(2 ** 24);
    expect(profile.maxCalldataBytes).toBeLessThanOrEqual(128 * 1024 - 2_048);
    expect(profile.maxTransactionFee).toBeGreaterThan(0n);
  });

  test('can be written as a file and read again', () => {
    const json: unknown = JSON.parse(
      JSON.stringify(profile, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
    expect(parseProfile(json)).toEqual({ fields: profile });
  });
});

describe('a profile in a file', () => {
  test('names a base and the fields that differ', () => {
    expect(
      parseProfile({ base: 'polygon', maxFeePerGas: '500000000000', maxTransactionFee: 2e15, stuckMs: 100 }),
    ).toEqual({
      name: 'polygon',
      fields: { maxFeePerGas: 500_000_000_000n, maxTransactionFee: 2n * 10n ** 15n, stuckMs: 100 },
    });
    expect(parseProfile({})).toEqual({ fields: {} });
  });

  test.each([
    ['base', 'mainnet', 'one of ethereum, '],
    ['name', 'My Chain', 'a name of small letters'],
    ['finality', 0, 'a whole number of blocks from 1 to 1000, safe or finalized'],
    ['finality', 'latest', 'a whole number of blocks'],
    ['forkChoiceMs', -1, 'a whole number from 0 to 3600000'],
    ['forkChoiceMs', '2000', 'a whole number'],
    ['stuckMs', 1.5, 'a whole number'],
    ['feeModel', 'free', 'one of eip1559, legacy, none'],
    ['maxFeePerGas', '0', 'wei as a whole number, in quotes when it is beyond 2^53, or null for no limit'],
    ['maxTransactionFee', '0x10', 'wei as a whole number'],
    ['maxTransactionFee', 1e18, 'wei as a whole number, in quotes when it is beyond 2^53'],
    ['maxTransactionFee', null, 'wei as a whole number'],
    ['l1Fee', 'op', 'one of none, op-stack, in-gas'],
    ['maxTransactionGas', 30_000_000, 'a whole number from 1000000 to 16777216'],
    ['maxCalldataBytes', 100, 'a whole number'],
    ['maxBatchCalls', 0, 'a whole number'],
    ['honestBlooms', 1, 'true or false'],
    ['mayHaveZeroParents', null, 'true or false'],
  ])('with %s as %j is refused with a sentence that names the field', (name, value, wanted) => {
    expect(() => parseProfile({ [name]: value })).toThrow(
      `the field ${name} is ${JSON.stringify(value)}, not ${wanted}`,
    );
  });

  test('with a field that there is not is refused', () => {
    expect(() => parseProfile({ confirmations: 3 })).toThrow(
      'the field confirmations is none of base, name, ',
    );
    expect(() => parseProfile([])).toThrow('it is no JSON object');
    expect(() => parseProfile(null)).toThrow('it is no JSON object');
  });
});
