import { expect, test } from '@jest/globals';
import { estimateMetadataGas } from '../../src/chain/abi/metadata.ts';
import { TOKEN_STANDARDS } from '../../src/chain/token-standards.ts';
import { batchCall, mintCall, readItem } from '../../src/features/collections/mint-calls.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const CONTRACT = `0x${'0a'.repeat(20)}` as const;
const OWNER = { accountId: '', environment: 'live' } as const;

const plain = readItem({ to: RECIPIENT }, '');
const described = readItem(
  { to: RECIPIENT, metadata: { name: 'Blue Hour', description: 'x'.repeat(2_000) } },
  '',
);

async function batchGas(count: number): Promise<number> {
  const items = Array.from({ length: count }, () => plain);
  return (await batchCall(async () => null, OWNER, { contract: CONTRACT, data: '0x', items })).gasMax;
}

test('a mint may use 365,000 gas, and what its metadata is estimated to use', () => {
  expect(mintCall(CONTRACT, plain).gasMax).toBe(365_000);
  expect(TOKEN_STANDARDS.ERC721.encodeMint(CONTRACT, undefined).gasMax).toBe(365_000);
  expect(TOKEN_STANDARDS.ERC20.encodeMint(CONTRACT, '1').gasMax).toBe(365_000);
  const metadata = estimateMetadataGas(described.entries);
  expect(metadata).toBeGreaterThan(500_000);
  expect(mintCall(CONTRACT, described).gasMax).toBe(365_000 + metadata);
});

test('a batch may use the sum of its items, and 14,000,000 at the most', async () => {
  expect(await batchGas(1)).toBe(365_000);
  expect(await batchGas(3)).toBe(1_095_000);
  expect(await batchGas(100)).toBe(14_000_000);
});
