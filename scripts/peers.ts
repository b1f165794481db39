import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import config from '../hardhat.config.ts';

/**
 * Runs solmate's suites of ERC-20 and ERC-721, which its npm package has, against clones of the managed tokens. They
 * run as copies with the changes below; `scripts/peers/` has what takes the place of solmate's mocks and of `ds-test`.
 */
const FILES = [
  'utils/Hevm.sol',
  'utils/DSTestPlus.sol',
  'utils/DSInvariantTest.sol',
  'ERC20.t.sol',
  'ERC721.t.sol',
];

interface Edit {
  why: string;
  from: RegExp;
  to: string;
}

const EDITS: readonly Edit[] = [
  { why: 'our contracts need a newer compiler', from: /(?<=pragma solidity )0\.8\.15/g, to: '^0.8.28' },
  { why: 'it is in no npm package', from: /ds-test\/test\.sol/g, to: '../../../../scripts/peers/DSTest.sol' },
  { why: 'only suites are copied', from: /"\.\.\/tokens\//g, to: '"solmate/src/tokens/' },
  {
    why: 'the managed token is tested',
    from: /\{(Mock\w+)\} from "\.\/utils\/mocks\/\w+\.sol"/g,
    to: '{$1, new$1} from "../../../scripts/peers/Mocks.sol"',
  },
  { why: 'only a clone behaves as a token', from: /\bnew (?=Mock)/g, to: 'new' },
  { why: "the token's own have other rights", from: /\btoken\.mint\(/g, to: 'token.mockMint(' },
  { why: "the token's own have other rights", from: /\btoken\.burn\(/g, to: 'token.mockBurn(' },
  { why: 'the token has none', from: /\btoken\.safeMint\(/g, to: 'token.mockSafeMint(' },
  {
    why: 'no runner knows the prefix any more',
    from: /function testFail(\w+\([^)]*\)\s+public)(?: view)?/g,
    to: 'function testMustFail$1 mustFail',
  },
  {
    why: 'a runner calls what it knows the source of, and does not know that of a clone',
    from: /function invariantMetadata/g,
    to: 'function testMetadata',
  },
  {
    why: 'ERC-6093: the zero address neither receives, nor is approved',
    from: /function test\w+\([^)]*\baddress (\w+)[^)]*\)\s+public \{/g,
    to: '$& hevm.assume($1 != address(0));',
  },
  {
    why: 'ERC-721, ERC-6093: a burned token has no approved account, and the error is ERC721NonexistentToken',
    from: /function test((?:Approve)?Burn\([^)]*\) public) \{(?=[^}]*NOT_MINTED)/g,
    to: 'function testMustDiffer$1 mustFail {',
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
const copies = 'cache/peers/solmate';

/** An edit that changes nothing is about another version of solmate. */
async function copySuites(): Promise<void> {
  const unused = new Set(EDITS);
  await rm(path.join(root, copies), { recursive: true, force: true });
  for (const file of FILES) {
    let text = await readFile(path.join(root, 'node_modules/solmate/src/test', file), 'utf8');
    for (const edit of EDITS) {
      const edited = text.replace(edit.from, edit.to);
      if (edited !== text) unused.delete(edit);
      text = edited;
    }
    const copy = path.join(root, copies, file);
    await mkdir(path.dirname(copy), { recursive: true });
    await writeFile(copy, text);
  }
  for (const { from, why } of unused) throw new Error(`solmate's suites have no ${from.source} (${why}).`);
}

await copySuites();
const hre = await createHardhatRuntimeEnvironment(
  {
    ...config,
    paths: { tests: { solidity: copies }, artifacts: 'cache/peers/artifacts', cache: 'cache/peers' },
  },
  {},
  root,
);
const testFiles = FILES.filter((file) => file.endsWith('.t.sol')).map((file) =>
  path.join(root, copies, file),
);
const result = (await hre.tasks.getTask(['test', 'solidity']).run({ testFiles })) as { success: boolean };
if (!result.success) process.exitCode = 1;
