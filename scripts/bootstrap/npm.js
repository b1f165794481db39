import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runChild } from './child.js';
import { showProgress } from './progress.js';
import { Refusal } from './refusal.js';

/**
 * The command line of the npm that belongs to this machine's Node: npm's own file where it can be found, so that a
 * chosen Node can run it, otherwise whatever `npm` is in PATH.
 */
export async function findNpm(node) {
  const own = process.env.npm_execpath;
  if (own && path.basename(own) === 'npm-cli.js' && existsSync(own)) return [node, own];
  const beside = path.resolve(path.dirname(await realpath(node)), '../lib/node_modules/npm/bin/npm-cli.js');
  return existsSync(beside) ? [node, beside] : ['npm'];
}

/**
 * Runs npm quietly: `first` is said at once, and while it takes long since when it runs, and `howFar`. No package's install
 * script is run: none is needed, and npm 11 and 12 ask for each one. A failure is said in one sentence, and npm's own words
 * are kept in a file.
 */
export async function runNpm(
  root,
  [command, ...npm],
  args,
  { what, first, cwd = root, env = process.env, howFar = () => 'under way' },
) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const end = showProgress(first, (seconds) => `${what}: ${howFar()} after ${seconds} s ...`);
  const { code, output } = await runChild(command, [...npm, ...args, ...quiet, '--engine-strict=false'], {
    cwd,
    env,
    keep: true,
    show: false,
  }).catch((error) => ({ code: 1, output: `npm error ${error.message}` }));
  end();
  if (code === 0) return;
  const log = path.join('.node', 'npm-output.log');
  await mkdir(path.join(root, '.node'), { recursive: true });
  await writeFile(path.join(root, log), output);
  throw new Refusal(`${what} failed: ${reason(output)} (npm's output is in ${log}).`);
}

const causes = [
  [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH/, 'the npm registry cannot be reached'],
  [/ENOSPC/, 'the disk is full'],
  [/EINTEGRITY/, 'what the npm registry delivers is not what the lock file names by its hash'],
  [/\bE404\b|ETARGET/, 'the npm registry does not have the version that is asked for'],
  [/EUSAGE/, 'package.json and package-lock.json do not fit together, so run npm install once'],
];

function reason(output) {
  const known = causes.find(([pattern]) => pattern.test(output));
  if (known) return known[1];
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim());
  return lines.find((line) => line && !line.startsWith('code ')) ?? 'npm gave no reason';
}
