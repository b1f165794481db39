import { spawnSync } from 'node:child_process';
import { cp, mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Measures line and branch coverage of the contracts and prints a table. The test runner counts statements only, so
 * the tests run on a copy in which both ways of every `if` start with a statement on a line of its own.
 */
const MIN_PERCENT = 95;
const MARK = '// way ';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Index just past the bracket that closes the one at `start`. Comments and strings are skipped. */
function afterBracket(code: string, start: number): number {
  let depth = 0;
  for (let i = start; i < code.length; i = nextToken(code, i)) {
    if ('({['.includes(code[i]!)) depth += 1;
    if (')}]'.includes(code[i]!)) depth -= 1;
    if (depth === 0) return i + 1;
  }
  throw new Error('A bracket is not closed.');
}

/** Index of the next character that is neither in a comment nor in a string. */
function nextToken(code: string, i: number): number {
  const rest = (from: number): string => code.slice(from);
  let next = i + 1;
  if (code[i] === '"' || code[i] === "'") next = i + /^(["'])(?:\\.|(?!\1).)*\1/s.exec(rest(i))![0].length;
  for (;;) {
    const comment = /^(?:\/\/[^\n]*|\/\*.*?\*\/)/s.exec(rest(next));
    if (comment === null) return next;
    next += comment[0].length;
  }
}

const skipSpace = (code: string, i: number): number => i + /^\s*/.exec(code.slice(i))![0].length;

/** Index just past the statement at `start`. */
function afterStatement(code: string, start: number): number {
  if (code[start] === '{') return afterBracket(code, start);
  if (/^if\b/.test(code.slice(start))) {
    const body = skipSpace(code, afterBracket(code, code.indexOf('(', start)));
    const end = afterStatement(code, body);
    const otherwise = /^\s*else\b\s*/.exec(code.slice(end));
    return otherwise === null ? end : afterStatement(code, end + otherwise[0].length);
  }
  if (/^(for|while)\b/.test(code.slice(start))) {
    return afterStatement(code, skipSpace(code, afterBracket(code, code.indexOf('(', start))));
  }
  for (let i = start; ; i = '({['.includes(code[i]!) ? afterBracket(code, i) : nextToken(code, i)) {
    if (code[i] === ';') return i + 1;
  }
}

/** Rewrites each `if` outside of assembly so that each of its two ways starts with a statement of its own line. */
function markWays(code: string): string {
  let ways = 0;
  const way = (): string => `\nuint256 way${++ways}; ${MARK}${ways}\n`;
  const rewrite = (start: number, end: number): string => {
    let out = '';
    let from = start;
    for (let i = start; i < end;) {
      const assembly = /^assembly\b[^{]*/.exec(code.slice(i, end));
      const isWord = !/\w/.test(code[i - 1] ?? '');
      if (isWord && assembly !== null) i = afterBracket(code, i + assembly[0].length);
      else if (isWord && /^if\s*\(/.test(code.slice(i, end))) {
        const body = skipSpace(code, afterBracket(code, code.indexOf('(', i)));
        const bodyEnd = afterStatement(code, body);
        const otherwise = /^\s*else\b\s*/.exec(code.slice(bodyEnd, end));
        out += `${code.slice(from, body)}{${way()}${rewrite(body, bodyEnd)}} else {${way()}`;
        from = bodyEnd;
        if (otherwise !== null) {
          const start2 = bodyEnd + otherwise[0].length;
          from = afterStatement(code, start2);
          out += rewrite(start2, from);
        }
        out += '}';
        i = from;
      } else i = nextToken(code, i);
    }
    return out + code.slice(from, end);
  };
  return rewrite(0, code.length);
}

interface Count {
  hit: number;
  all: number;
}

interface FileCoverage {
  lines: Count;
  branches: Count;
}

/** Reads lcov: lines that carry a mark are ways, all others are lines. */
async function readCoverage(copy: string): Promise<Record<string, FileCoverage>> {
  const report: Record<string, FileCoverage> = {};
  const lcov = await readFile(join(copy, 'coverage/lcov.info'), 'utf8');
  for (const record of lcov.split('end_of_record')) {
    const file = /^SF:(.*)$/m.exec(record)?.[1];
    if (file === undefined) continue;
    const source = (await readFile(join(copy, file), 'utf8')).split('\n');
    const coverage: FileCoverage = { lines: { hit: 0, all: 0 }, branches: { hit: 0, all: 0 } };
    for (const [, line, hits] of record.matchAll(/^DA:(\d+),(\d+)/gm)) {
      const isWay = source[Number(line) - 1]!.includes(MARK);
      const count = isWay ? coverage.branches : coverage.lines;
      count.all += 1;
      if (hits !== '0') count.hit += 1;
      else
        console.error(
          `not reached: ${file}: ${source
            .slice(Number(line) - 2, Number(line))
            .join(' ')
            .trim()}`,
        );
    }
    report[file] = coverage;
  }
  return report;
}

const percent = ({ hit, all }: Count): number => (all === 0 ? 100 : (100 * hit) / all);

await using folder = await mkdtempDisposable(join(tmpdir(), 'contract-coverage-'));
const copy = folder.path;
for (const part of ['contracts', 'test/contracts', 'hardhat.config.ts', 'package.json']) {
  await cp(join(root, part), join(copy, part), { recursive: true });
}
await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
for (const file of await readdir(join(copy, 'contracts'))) {
  if (!file.endsWith('.sol')) continue;
  const path = join(copy, 'contracts', file);
  await writeFile(path, markWays(await readFile(path, 'utf8')));
}
const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js');
const run = spawnSync(process.execPath, [hardhat, 'test', 'solidity', '--coverage'], {
  cwd: copy,
  encoding: 'utf8',
  env: { ...process.env, CONTRACT_TESTS: 'coverage' },
});
if (run.status !== 0) throw new Error(`The tests fail.\n${run.stdout}\n${run.stderr}`);
const report = await readCoverage(copy);
const sum = (pick: (file: FileCoverage) => Count): Count =>
  Object.values(report)
    .map(pick)
    .reduce((a, b) => ({ hit: a.hit + b.hit, all: a.all + b.all }));
const total = { lines: sum((file) => file.lines), branches: sum((file) => file.branches) };
const row = ({ lines, branches }: FileCoverage): Record<string, string> => ({
  'lines %': percent(lines).toFixed(1),
  'branches %': percent(branches).toFixed(1),
  branches: `${branches.hit}/${branches.all}`,
});
console.table(
  Object.fromEntries([...Object.entries(report), ['total', total] as const].map(([k, v]) => [k, row(v)])),
);
if (percent(total.lines) < MIN_PERCENT || percent(total.branches) < MIN_PERCENT) {
  console.error(
    `At least ${MIN_PERCENT} % of lines and branches must be covered. Add tests for what is named above.`,
  );
  process.exitCode = 1;
}
