import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import * as generated from '../../generated/contracts.ts';
import { DETERMINISTIC_DEPLOYER } from '../../src/chain/system/system-contracts.ts';

const page = readFileSync('docs/contracts.md', 'utf8');
const source = readFileSync('contracts/Operator.sol', 'utf8');

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
/** Functions whose selectors a function of the Operator compares with. */
const selectorsIn = (name: string): Set<string> =>
  new Set(
    [...partOf(source, `function ${name}(`, '\n    }').matchAll(/\.(\w+)\.selector/g)].map(
      ([, selector]) => selector!,
    ),
  );

test('docs/contracts.md has the allow-list of the Operator', () => {
  const [allowed, denied] = partOf(page, '### The allow-list', '## At most once').split('The admin may add');
  expect(namesIn(partOf(allowed!, '>', '\n\n'))).toEqual(selectorsIn('_isBuiltIn'));
  expect(namesIn(partOf(denied!, '>', '\n\n'))).toEqual(selectorsIn('_isDenied'));
});

test('docs/contracts.md has exactly the events of the contracts', () => {
  const events = new Set<string>();
  for (const abi of interfaces) abi.forEachEvent(({ name }) => events.add(name));
  const cells = [...partOf(page, '## Events', '## Errors').matchAll(/^\| (`.*?) \|/gm)];
  expect(namesIn(cells.map(([, cell]) => cell!).join())).toEqual(events);
});

test('docs/contracts.md has exactly the errors of the contracts', () => {
  const families = /^(ERC20|ERC721|ECDSA)(?!ExceededSafeSupply)/;
  const errors = new Set<string>();
  for (const abi of interfaces) abi.forEachError(({ name }) => !families.test(name) && errors.add(name));
  const cells = [...partOf(page, '## Errors', '## Standards').matchAll(/^\| (`.*?) \|/gm)];
  const named = namesIn(cells.map(([, cell]) => cell!).join());
  for (const family of ['ERC20', 'ERC721', 'ECDSA']) expect(named.delete(family)).toBe(true);
  expect(named).toEqual(errors);
});

test('its commands are scripts of package.json, its deployer is the one of the service', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const commands = [...page.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((name) => !scripts[name])).toEqual([]);
  expect(page).toContain(DETERMINISTIC_DEPLOYER);
});
