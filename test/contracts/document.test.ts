import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Interface, toBeHex } from 'ethers';
import * as generated from '../../generated/contracts.ts';
import { VERBS } from '../../src/chain/abi/verbs.ts';
import { deployer } from '../../lab/stage/system.ts';

const page = readFileSync('docs/contracts.md', 'utf8');
const source = readFileSync('contracts/libraries/AllowList.sol', 'utf8');

const interfaces = [
  generated.operatorAbi,
  generated.tokenFactoryAbi,
  generated.collectionFactoryAbi,
  generated.managedErc20Abi,
  generated.managedErc721Abi,
].map((abi) => new Interface(abi));

/** Names in backticks of a part of the page, without arguments. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, name]) => name!));
const partOf = (text: string, from: string, to: string): string =>
  text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from)));
/** Names of functions by the constants that have their selectors. */
const constants = new Map(
  [...source.matchAll(/(\w+)\s*=\s*bytes4\(\s*keccak256\(\s*"(\w+)\(/g)].map(([, constant, name]) => [
    constant!,
    name!,
  ]),
);
/** Functions whose selectors a function of the list compares with. */
const selectorsIn = (name: string): string[] =>
  [
    ...partOf(source, `function ${name}(`, '\n    }').matchAll(/selector == (?:\w+\.(\w+)\.selector|(\w+))/g),
  ].map(([, selector, constant]) => selector ?? constants.get(constant!)!);

test('the page has the verbs that the service deploys, and what can never be one', () => {
  const selectors = new Set(
    VERBS.flatMap((word) =>
      Array.from({ length: 8 }, (_, lane) => (word >> BigInt(32 * lane)) & 0xffff_ffffn),
    ),
  );
  const names = [...selectors].map((selector) => {
    const found = interfaces.map((abi) => abi.getFunction(toBeHex(selector, 4))).find((one) => one !== null);
    return found!.name;
  });
  const [allowed = '', denied = ''] = partOf(page, '### The verbs', '### The admin waits').split(
    'They are data',
  );
  expect(namesIn(partOf(allowed, '>', '\n\n'))).toEqual(new Set(names));
  const never = ['_isOwners', '_isHolders'].flatMap(selectorsIn);
  expect(namesIn(partOf(denied, '>', '\n\n'))).toEqual(new Set(never));
});

test('every cell of the table of keys is shown by tests that exist', () => {
  const part = partOf(page, '## What a stolen key reaches', '### The verbs');
  const listed = [...part.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, text]) => ({
    number: number!,
    text: text!,
  }));
  expect(listed.map(({ number }) => Number(number))).toEqual(listed.map((_, index) => index + 1));
  const cited = new Set([...part.matchAll(/\[(\d+)\]/g)].map(([, number]) => number!));
  expect(cited).toEqual(new Set(listed.map(({ number }) => number)));
  const rows = part.split('\n').filter((line) => line.startsWith('| ') && !/^\| (Key|---)/.test(line));
  const cells = rows.flatMap((row) =>
    row
      .split(' |')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const unshown = cells.filter((cell) => !/\[\d+\]/.test(cell));
  expect([...new Set(unshown)].sort()).toEqual(['', 'nothing on the chain']);
  const unwrapped = part.replaceAll(/\n +/g, ' ');
  const missing = unwrapped.split('\n').flatMap((line) => {
    const [file, ...tests] = [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
    if (!/\.t\.sol$|Suite\.sol$|\.test\.ts$/.test(file ?? '')) return [];
    const text = readFileSync(file!.includes('/') ? file! : `test/contracts/${file}`, 'utf8');
    const exists = (name: string): boolean =>
      text.includes(`function ${name}(`) || text.includes(`'${name}'`);
    return tests.length > 0 ? tests.filter((name) => !exists(name)) : [line];
  });
  expect(missing).toEqual([]);
});

test('the page has the gas and the bytes of the snapshot', () => {
  const snapshot = JSON.parse(readFileSync('contracts/gas-snapshot.json', 'utf8')) as {
    gas: Record<string, { gas: number; plain: number | null }>;
    bytes: Record<string, number>;
  };
  const toNumber = (text: string): number | null => (text === '' ? null : Number(text.replaceAll(',', '')));
  const rows = partOf(page, '## Gas', '## Work on them').matchAll(
    /^\| (.*?) +\| ([\d,]+) +\| ([\d,]*) +\|$/gm,
  );
  const shown = [...rows].map(([, operation, gas, plain]) => [
    operation,
    { gas: toNumber(gas!), plain: toNumber(plain!) },
  ]);
  expect(shown).toEqual(
    Object.entries(snapshot.gas).map(([operation, { gas, plain }]) => [operation, { gas, plain }]),
  );
  const sizes = partOf(page, '## Size', '## Gas').matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|/gm);
  expect(Object.fromEntries([...sizes].map(([, name, size]) => [name, toNumber(size!)]))).toEqual(
    snapshot.bytes,
  );
});

test('the page has every event, and no other', () => {
  const events = new Set<string>();
  for (const abi of interfaces) abi.forEachEvent(({ name }) => events.add(name));
  const cells = [...partOf(page, '## Events', '## Errors').matchAll(/^\| (`.*?) \|/gm)];
  expect(namesIn(cells.map(([, cell]) => cell!).join())).toEqual(events);
});

test('the page has every error, and no other', () => {
  const families = /^(ERC20|ERC721|ECDSA)(?!ExceededSafeSupply)/;
  const errors = new Set<string>();
  for (const abi of interfaces) abi.forEachError(({ name }) => !families.test(name) && errors.add(name));
  const cells = [...partOf(page, '## Errors', '## Standards').matchAll(/^\| (`.*?) \|/gm)];
  const named = namesIn(cells.map(([, cell]) => cell!).join());
  for (const family of ['ERC20', 'ERC721', 'ECDSA']) expect(named.delete(family)).toBe(true);
  expect(named).toEqual(errors);
});

test('the page names scripts of package.json and the address of the deployer', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const commands = [...page.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((name) => !scripts[name])).toEqual([]);
  expect(page).toContain(deployer);
});
