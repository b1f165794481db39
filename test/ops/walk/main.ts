import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { Contract, JsonRpcProvider, Wallet } from 'ethers';
import { managedErc20Abi } from '../../../generated/contracts.ts';
import { startAnvil } from '../../../lab/stage/anvil.ts';
import { startOwnPostgres } from '../own-postgres.ts';
import { readBlocks } from './handbook.ts';
import type { Block } from './handbook.ts';
import { startLoad } from './load.ts';
import type { LoadReport } from './load.ts';
import { makeRepository, prepareMachine } from './machine.ts';
import { openShell } from './shell.ts';
import { openSite } from './site.ts';

/*
 * Walks through docs/operate.md on a machine of its own (private-machine.ts): every block of "Install", "Upgrade"
 * and "Rollback", word for word, the last two under load. Writes a WalkReport to standard output.
 *   main.ts FOLDER POSTGRES   an empty folder, and the path of PostgreSQL's server
 */

export interface WalkReport {
  /** First lines of the blocks that were run, in their order. */
  blocks: string[];
  packages: number;
  megabytes: number;
  /** Through the restart of all processes, one after the other. */
  load: LoadReport & { restartSeconds: number };
  supply: string;
}

const TEN_ETHER = '0x8ac7230489e80000';
const MIN_REQUESTS = 450;
const [folder = '', postgresProgram = ''] = process.argv.slice(2);

const { PATH, ca } = await prepareMachine(folder);
process.env['PATH'] = PATH;
const [repository, anvil, database, explorer] = await Promise.all([
  makeRepository(folder),
  startAnvil({ blockTimeSeconds: 1, chainId: 11_155_111 }),
  startOwnPostgres(postgresProgram),
  startExplorer(),
]);
const provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, pollingInterval: 200 });
const admin = Wallet.createRandom().connect(provider);
const password = randomBytes(8).toString('hex');
await anvil.call('anvil_setBalance', [admin.address, TEN_ETHER]);

const shell = await openShell(folder, {
  // PostgreSQL's superuser, and a place for sources that does not ask for an account.
  ...database.environment,
  PATH: `${PATH}:${path.dirname(postgresProgram)}`,
  HOME: path.join(folder, 'root'),
  SOURCIFY_URL: explorer.url,
});
const ran: string[] = [];
const blocks = readBlocks('Install');
/** Runs the next block. @returns what it wrote. @throws Error when it does not stand under that heading */
async function next(
  heading: string,
  values: Record<string, string> = {},
  { input = '', fails = false } = {},
): Promise<string> {
  const block = blocks.shift();
  if (block?.heading !== heading)
    throw new Error(`the next block stands under ${block?.heading}, not ${heading}`);
  return runBlock(block, values, input, fails);
}
function runBlock(
  { text }: Block,
  values: Record<string, string>,
  input: string,
  fails: boolean,
): Promise<string> {
  ran.push(text.trim().split('\n')[0]!);
  const filled = Object.entries(values).reduce(
    (line, [name, value]) => line.replaceAll(name, value),
    text.trim(),
  );
  // What ends with an error is the last command of its block.
  return shell.run(fails ? `${filled} 2>&1 && exit 99 || true` : filled, input);
}

await next('1. The program', { YOUR_REPOSITORY: repository });
const [, megabytes = ''] = /^(\d+)/.exec(await shell.run('du -sm /opt/mintmark/node_modules')) ?? [];
const packages = Number(
  await shell.run(
    'find /opt/mintmark/node_modules -name package.json -path "*node_modules/*" | grep -cE "node_modules/(@[^/]+/)?[^/@]+/package.json$"',
  ),
);
await next('2. Database', {}, { input: `${password}\n${password}\n` });
const answers = [
  database.urlOf('mintmark', password, 'mintmark'),
  `${anvil.url},${anvil.url.replace('127.0.0.1', 'localhost')}`,
  'test',
  'https://mint.example',
  'https://sepolia.etherscan.io',
  admin.address,
];
const printed = await next('3. Configuration and keys', {}, { input: `${answers.join('\n')}\n` });
await next('3. Configuration and keys');
const [, signer = ''] = /^signer +(0x\w{40})$/m.exec(printed) ?? [];
await anvil.call('anvil_setBalance', [signer, TEN_ETHER]);
const refused = await next('4. System contracts', {}, { fails: true });
if (!/is no executor of the Operator/.test(refused)) throw new Error(`the first start said: ${refused}`);
const [granting] = blocks;
let granted = await next('4. System contracts', { SIGNER: signer });
for (let round = 0; round < 3 && !granted.includes('is an executor already'); round += 1) {
  // The line as it stands, but with a stand-in for cast: the admin's wallet is here.
  const [line = ''] = /^ *cast send .*$/m.exec(granted) ?? [];
  const [, to = '', data = '', , url] = (
    await shell.run(`set -- ${line.trim()}; printf '%s\\n' "$@" | tail -n +2`)
  )
    .trim()
    .split('\n');
  if (url !== anvil.url) throw new Error(`the endpoint of ${line} is ${url}`);
  await (await admin.sendTransaction({ to, data })).wait();
  // The same block again, as it says.
  granted = await shell.run(granting!.text.trim().replaceAll('SIGNER', signer));
}
const started = await next('5. Start');
const invite = /^\s*(\S{20,})\s*$/m.exec(started.split('\n').slice(-6).join('\n'))?.[1];
if (!/executor +yes/.test(started) || !invite) throw new Error(`the start said: ${started}`);
await next('6. nginx');
await next('7. Sources', { YOUR_REPOSITORY: repository });
if (blocks.length > 0) throw new Error(`this block was not run: ${blocks[0]!.text}`);

const site = openSite(ca);
const person = { email: 'alice@example.com', password: 'correct horse battery' };
const registered = await site.ask('POST', '/v1/auth/register', { ...person, inviteCode: invite });
if (registered.status !== 201) throw new Error(JSON.stringify(registered));
await shell.run(`cd /opt/mintmark && npm run admin -- accounts set-plan ${person.email} PRO`);
const signedIn = await site.ask('POST', '/auth/signin', person);
const authorization = { Authorization: `Bearer ${String(signedIn.body['token'])}` };
const deployed = await site.ask(
  'POST',
  '/tokens',
  { type: 'ERC20', name: 'Coin', symbol: 'C' },
  authorization,
);
if (deployed.status !== 200) throw new Error(JSON.stringify(deployed));
const token = (deployed.body['data'] as { address: string }).address;

// Once more does no harm.
const [nginxBlock] = readBlocks('Install').filter(({ heading }) => heading === '6. nginx');
await shell.run(nginxBlock!.text.trim());

const load = startLoad(site, token, authorization, MIN_REQUESTS);
const began = performance.now();
let upgraded = '';
for (const block of readBlocks('Upgrade')) upgraded += await runBlock(block, {}, '', false);
const commit = (await shell.run('git rev-parse HEAD')).trim().slice(0, 12);
const running = upgraded.split(`revision="${commit}"`).length - 1;
if (running !== 4) throw new Error(`${running} of 4 processes say that they run ${commit}: ${upgraded}`);
// There is one release: it goes back to itself. test/upgrade/rollback.test.ts goes back to another one.
for (const block of readBlocks('Rollback')) await runBlock(block, { RELEASE: 'HEAD' }, '', false);
const restartSeconds = Math.round((performance.now() - began) / 1_000);
const met = await load.end();
const contract = new Contract(token, managedErc20Abi, provider);
// An answer of 202 is of a mint that goes on.
for (let tries = 0; tries < 60; tries += 1) {
  if (Number(await contract['totalSupply']!()) >= met.mints) break;
  await new Promise((resolve) => setTimeout(resolve, 500));
}
const report: WalkReport = {
  blocks: ran,
  packages,
  megabytes: Number(megabytes),
  load: { ...met, restartSeconds },
  supply: String(await contract['totalSupply']!()),
};
await shell.run('systemctl stop mintmark-engine@1 mintmark-engine@2 mintmark-api@3001 mintmark-api@3002');
process.stdout.write(JSON.stringify(report), () => process.exit(0));

/** An explorer that finds that everything matches: test/ops/verify.test.ts shows that it does. */
async function startExplorer(): Promise<{ url: string }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const [, , kind, id] = (request.url ?? '').split('/');
      const answer =
        kind === 'contract'
          ? { match: null }
          : { isJobCompleted: true, verificationId: id ?? 'x', contract: { match: 'match' } };
      const status = kind === 'contract' ? 404 : request.method === 'POST' ? 202 : 200;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the explorer has no port');
  return { url: `http://127.0.0.1:${address.port}` };
}
