import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hex } from '../../src/lib/hex.ts';
import type { Plan } from '../../src/lib/plans.ts';
import { ADMIN, POOR_SIGNER, SIGNERS, grant, submitAsAdmin } from './admin.ts';
import { callHandler } from './call.ts';
import type { Account, Environment } from './call.ts';
import type { BlockRecipe } from './chain.ts';
import { digest } from './globals.ts';
import { startProcess } from './service.ts';
import { watchStates } from './states.ts';
import { createWorld, mineEvery } from './world.ts';
import type { World } from './world.ts';

/** Where every world begins: a database with its schema and accounts, and a chain with the system contracts. */
export interface Template {
  database: Blob;
  /** What is in the blocks so far, with the seconds since 1970 of each. */
  blocks: readonly BlockRecipe[];
  /** Virtual milliseconds that have passed. */
  now: number;
  accounts: readonly TemplateAccount[];
  operator: Hex;
}

interface TemplateAccount extends Account {
  /** Of `/` and its place. */
  webhookSecret: string;
  /** Of `/`, its place and `s`. */
  sandboxWebhookSecret: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cacheFolder = path.join(root, 'node_modules/.cache/mintmark-simulation');
const PLANS: readonly Plan[] = ['BASIC', 'PRO'];
const MAX_START_MS = 300_000;

/** Of trees that share a folder, such as those with a defect. */
const MAX_KEPT = 4;
/** The name of the file that a template has beside its database. */
const KEPT = /^[0-9a-f]{32}\.json$/;

/**
 * Takes what an earlier run has kept, or makes it: some seconds.
 * @param sources the folder whose service made it
 * @throws Error when no run has kept the template of other sources than these
 */
export async function openTemplate(sources = root): Promise<Template> {
  const key = keyOf(sources);
  const file = path.join(cacheFolder, key);
  if (!existsSync(`${file}.json`)) {
    if (key !== keyOf(root)) throw new Error(`No run has kept the template of ${sources}.`);
    await keep(file, await createTemplate());
  }
  const text = readFileSync(`${file}.json`, 'utf8');
  // What was written last is the last to go: another process may make templates meanwhile.
  write(`${file}.json`, text);
  const rest = JSON.parse(text) as Omit<Template, 'database'>;
  return { database: new Blob([readFileSync(`${file}.tar`)]), ...rest };
}

/** For whoever reads it meanwhile, it is what it was or what it will be. */
function write(file: string, content: string | Buffer): void {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, content);
  renameSync(own, file);
}

async function keep(file: string, { database, ...rest }: Template): Promise<void> {
  mkdirSync(cacheFolder, { recursive: true });
  write(`${file}.tar`, Buffer.from(await database.arrayBuffer()));
  write(`${file}.json`, JSON.stringify(rest));
  // One of every state of the sources would fill the disk: each has 40 MB.
  const kept = readdirSync(cacheFolder)
    .filter((name) => KEPT.test(name))
    .map((name) => path.join(cacheFolder, name))
    .map((each) => ({ each, at: statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at);
  for (const { each } of kept.slice(MAX_KEPT))
    for (const one of [each, each.replace(/json$/, 'tar')]) rmSync(one, { force: true });
}

/** What of the simulation a template is made by. */
const OWN_PARTS = [
  'template.ts',
  'world.ts',
  'postgres.ts',
  'chain.ts',
  'evm.ts',
  'recipients.ts',
  'service.ts',
  'states.ts',
  'profile.json',
];

/** Of all in a folder's sources that decides what a template is. */
function keyOf(sources: string): string {
  // A process of the service makes it: one with a defect would put that into the worlds of all others.
  const files = readdirSync(path.join(sources, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(sources, path.join(parentPath, name)));
  const own = OWN_PARTS.map((name) => path.join('lab/simulation', name));
  const all = [...files.sort(), ...own, 'generated/contracts.ts', 'package-lock.json'];
  return digest(all.map((file) => digest(readFileSync(path.join(sources, file)))).join()).slice(0, 32);
}

async function createTemplate(): Promise<Template> {
  const world = await createWorld({ seed: 'template', endpoints: 1 });
  const { scheduler, postgres, chain } = world;
  mineEvery(world, 2_000);
  const service = startProcess(world, {
    name: 'template',
    signers: [ADMIN],
    profile: 'profile',
    rpcUrls: world.nodes.map(({ url }) => url),
  });
  await until(world, service.started);
  const { system } = await service.started;
  const accounts = PLANS.map((plan, index) => accountOf(world, plan, index));
  for (const { accountId, email, plan } of accounts) {
    await postgres.ask('insert into accounts (id, email, password_hash, plan) values ($1, $2, $3, $4)', [
      accountId,
      email,
      'none',
      plan,
    ]);
  }
  const createWebhook = async (account: Account, environment: Environment, url: string): Promise<string> => {
    const body = { url, events: [...EVENTS] };
    const asked = { account, environment, operation: 'createWebhook', body, key: url } as const;
    const answer = await callHandler(world, service, asked);
    return (answer.body as { secret: string }).secret;
  };
  const withWebhooks = accounts.map(async (account, index): Promise<TemplateAccount> => ({
    ...account,
    webhookSecret: await createWebhook(account, 'live', `http://192.0.2.1/${index}`),
    sandboxWebhookSecret: await createWebhook(account, 'sandbox', `http://192.0.2.1/${index}s`),
  }));
  const made = await until(world, Promise.all(withWebhooks));
  service.machine.isDead = true;
  // What a key that signs no more may have sent would be waited for after a loss.
  await postgres.ask('delete from lanes');
  world.operator = system.operator;
  const granted = [...SIGNERS, POOR_SIGNER].map(({ address }) => ({
    to: system.operator,
    data: grant(system.operator, address),
  }));
  await submitAsAdmin(world, granted);
  await scheduler.run(() => chain.poolSize === 0, scheduler.now + MAX_START_MS);
  const newest = chain.timeline.at(-1)!;
  // The first block that the service knows: a chain that has it no more is another one.
  await postgres.ask(`update reader set first_number = $1, first_hash = decode($2, 'hex')`, [
    newest.number,
    newest.hash.slice(2),
  ]);
  await watchStates(postgres);
  const database = await postgres.dump();
  return { database, blocks: chain.record, now: scheduler.now, accounts: made, operator: system.operator };
}

const EVENTS = ['intent.confirmed', 'intent.failed', 'intent.retracted'];

function accountOf({ random }: World, plan: Plan, index: number): Account {
  const bytes = new Uint8Array(16);
  random.fork(`account ${index}`).fill(bytes);
  const accountId = Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
  return { accountId, email: `${plan.toLowerCase()}@example.com`, plan };
}

/** Lets the world run until a promise is settled. */
export async function until<Value>({ scheduler }: World, promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  if (!(await scheduler.run(() => isSettled, scheduler.now + MAX_START_MS))) {
    throw new Error('what the world waits for does not come');
  }
  return promise;
}
