import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import * as generated from '../../generated/contracts.ts';
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

test('the allow-list of docs/contracts.md is the one of the Operator', () => {
  const [allowed, denied] = partOf(page, '### The allow-list', '### Keys').split('The admin may add');
  expect(namesIn(partOf(allowed!, '>', '\n\n'))).toEqual(new Set(selectorsIn('builtInBit')));
  const never = ['_isOwners', '_isHolders', '_isOperators'].flatMap(selectorsIn);
  expect(namesIn(partOf(denied!, '>', '\n\n'))).toEqual(new Set(never));
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
