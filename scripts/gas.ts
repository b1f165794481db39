import { readFile, writeFile } from 'node:fs/promises';
import { measure } from './gas/measure.ts';
import { measurePlain } from './gas/plain.ts';
import { measureSizes } from './gas/stage.ts';

/**
 * Measures what the service's operations cost, as gas of the receipt of a transaction that goes through the Operator,
 * and prints it beside its target and a plain OpenZeppelin contract; and how many bytes of code each contract has.
 * Compares with the committed snapshot. `--update` writes the snapshot.
 */

interface Figure {
  gas: number;
  /** The most that it may cost; null for what has no target. */
  target: number | null;
  /** The same done by a plain OpenZeppelin contract, called by its owner directly. */
  plain: number | null;
}

interface Snapshot {
  gas: Record<string, Figure>;
  /** Of code, at most 24,576 (EIP-170). */
  bytes: Record<string, number>;
}

const snapshotFile = new URL('../contracts/gas-snapshot.json', import.meta.url);

/** The most that each may cost. Those of mints in a list have room for a client's key in them, 96 of each. */
const TARGETS: Record<string, number> = {
  'lone mint': 95_827,
  'lone mint, holder has some': 78_727,
  'lone mint, what the client’s key adds': 250,
  'first mint of a collection': 112_915,
  '10 mints on one contract, each': 56_902,
  '10 mints on 10 contracts, each': 63_831,
  '100 mints on one contract, each': 53_005,
  '100 mints on one contract, what the client’s key adds': 250,
  '100 tokens by one mintBatch, each': 51_515,
  collection: 99_500,
  'ERC-20 with permit': 99_500,
  'ERC-20 mint, first': 88_321,
  'ERC-20 mint, new holder': 71_221,
  '100 ERC-20 mints, what the client’s key adds': 250,
  '256 ERC-20 rows to new holders, each': 25_200,
  'metadata, 5 keys': 136_476,
  'metadata, 16 keys': 244_926,
  'metadata, 5 keys again': 139_401,
  'metadata, 16 keys again': 247_911,
  'mint with 5 keys': 178_839,
  'run of 100 to one holder, each': 3_459,
  pause: 47_643,
};

async function takeSnapshot(): Promise<Snapshot> {
  const plain = await measurePlain();
  const figures = Object.entries(await measure()).map(
    ([operation, gas]) =>
      [operation, { gas, target: TARGETS[operation] ?? null, plain: plain[operation] ?? null }] as const,
  );
  return { gas: Object.fromEntries(figures), bytes: await measureSizes() };
}

/** What is other than committed, one line each. */
function compare(committed: Snapshot, taken: Snapshot): string[] {
  const gasOf = ({ gas }: Snapshot): Record<string, number> =>
    Object.fromEntries(Object.entries(gas).map(([operation, figure]) => [operation, figure.gas]));
  return [
    ...differences(gasOf(committed), gasOf(taken), 'gas'),
    ...differences(committed.bytes, taken.bytes, 'bytes'),
  ];
}

function differences(before: Record<string, number>, after: Record<string, number>, unit: string): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name] ?? 'new'} -> ${after[name] ?? 'gone'} ${unit}`);
}

const snapshot = await takeSnapshot();
console.table(snapshot.gas);
console.table(snapshot.bytes);
const missed = Object.entries(snapshot.gas).filter(([, { gas, target }]) => target !== null && gas > target);
for (const [operation, { gas, target }] of missed)
  console.error(`${operation}: ${gas} is more than ${target}`);
if (missed.length > 0) process.exitCode = 1;
if (process.argv.includes('--update')) {
  await writeFile(snapshotFile, `${JSON.stringify(snapshot, null, 2)}\n`);
} else {
  const changed = compare(JSON.parse(await readFile(snapshotFile, 'utf8')) as Snapshot, snapshot);
  for (const line of changed) console.error(line);
  if (changed.length > 0) {
    console.error('The contracts changed. Run `npm run gas:update` and commit contracts/gas-snapshot.json.');
    process.exitCode = 1;
  }
}
