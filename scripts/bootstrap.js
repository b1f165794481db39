/**
 * What `npm start`, `npm test` and `npm run check` run first, under whatever Node the machine has (18 or later).
 * It sees to it that Node 24 and the packages are there, then hands over. Plain JavaScript without dependencies,
 * because nothing is installed yet when it runs.
 *
 *   node scripts/bootstrap.js start [arguments of src/main.ts]
 *   node scripts/bootstrap.js test  [arguments of Jest]
 *   node scripts/bootstrap.js test:all
 *   node scripts/bootstrap.js check
 *   node scripts/bootstrap.js jest  [arguments of Jest]
 *   node scripts/bootstrap.js admin [arguments of scripts/admin.ts]
 *   node scripts/bootstrap.js console
 *   node scripts/bootstrap.js demo  [arguments of scripts/demo.ts]
 *   node scripts/bootstrap.js exec COMMAND [arguments]   any command, with Node 24 and the packages' tools in PATH
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRunner } from './bootstrap/child.js';
import { buildConsole, keepConsoleBuilt } from './bootstrap/console.js';
import { watchParent } from './bootstrap/parent.js';
import { prepare } from './bootstrap/prepare.js';
import { Refusal } from './bootstrap/refusal.js';
import { serviceFlags } from './bootstrap/service.js';
import { check, jestArguments, test, testRest } from './bootstrap/tests.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A service with a database of its own, and thus a chain of its own, starts neither of the embedded ones. */
const servicePart = process.env.DATABASE_URL?.trim() ? 'runtime' : 'root';

/**
 * Each command resolves to its exit code. `part` is what it needs of the packages, all unless it says less. `servesConsole`
 * is for those that have the console built before. `endsWithNpm` is for those that nobody needs any more when npm has been
 * killed.
 */
const commands = {
  start: {
    part: servicePart,
    servesConsole: true,
    run: (runner, args) => runner.run('node', [...serviceFlags, 'src/main.ts', ...args]),
  },
  test: {
    // With arguments it may be any test.
    part: process.argv[3] === undefined ? 'tests' : 'all',
    endsWithNpm: true,
    servesConsole: true,
    run: (runner, args) => test(root, runner, args),
  },
  'test:all': { endsWithNpm: true, servesConsole: true, run: (runner) => testRest(root, runner) },
  check: { endsWithNpm: true, servesConsole: true, run: (runner) => check(root, runner) },
  jest: {
    endsWithNpm: true,
    servesConsole: true,
    run: (runner, args) => runner.run('node', [...jestArguments, ...args]),
  },
  // A machine that is being set up has no DATABASE_URL yet.
  admin: {
    part: process.argv[3] === 'init' ? 'runtime' : servicePart,
    run: (runner, args) => runner.run('node', ['scripts/admin.ts', ...args]),
  },
  console: { part: 'runtime', run: (runner, _, toolchain) => buildConsole(root, runner, toolchain) },
  demo: { part: 'runtime', run: (runner, args) => runner.run('node', ['scripts/demo.ts', ...args]) },
  exec: { run: (runner, [command, ...args]) => runner.run(command ?? 'node', args) },
};

async function main([name, ...args]) {
  const command = commands[name];
  if (!command)
    throw new Refusal(`Say what to do: node scripts/bootstrap.js ${Object.keys(commands).join('|')}.`);
  if (process.platform === 'win32')
    throw new Refusal('Mintmark runs on Linux and macOS; on Windows use it in WSL.');
  if (command.endsWithNpm) watchParent(() => process.kill(process.pid, 'SIGTERM'));
  const toolchain = await prepare(root, { part: command.part ?? 'all' });
  if (command.servesConsole) await keepConsoleBuilt(root, toolchain);
  return command.run(createRunner(root, toolchain), args[0] === '--' ? args.slice(1) : args, toolchain);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Refusal ? error.message : error);
    process.exit(1);
  },
);
