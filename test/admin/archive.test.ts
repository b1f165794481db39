import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MIN_AGE_DAYS } from '../../src/admin/archive/archive.ts';
import type { ArchivePoint } from '../../src/admin/archive/points.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { countLedgerErrors } from '../../lab/faults/books.ts';
import { bareEnvironment } from '../../lab/stage/bare-environment.ts';
import { createCollection, createKey, requestNft } from '../../lab/stage/collections.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import {
  age,
  dayAgo,
  forge,
  readArchivedRows,
  readLines,
  readRows,
  sha256,
  waitForFees,
} from './archive-rows.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { until } from '../setup/until.ts';

const stack = new AsyncDisposableStack();
let mintmark: TestService;
let db: Db;
let alice: TestAccount;
let cli: ReturnType<typeof createCli>;
let folder: string;
let erc20: string;
let erc721: string;

beforeAll(async () => {
  folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-archive-'))).path;
  mintmark = stack.use(await startTestService({}, { databaseTimings: { lookMs: 200 } }));
  ({ db } = mintmark.service.context);
  alice = await mintmark.register();
  cli = createCli(mintmark.environment);
  erc20 = await deployToken(alice);
  erc721 = await deployToken(alice, 'ERC721');
}, 120_000);

afterAll(() => stack.disposeAsync());

interface Archived {
  file: string | null;
  archive: { sha256: string; intents: number; transactions: number } | null;
  removed: { intents: number; transactions: number; changed: number };
}

const archive = (days: number, file: string): Promise<Archived> =>
  cli.ask<Archived>('archive', '--before', dayAgo(days), '--to', path.join(folder, file));

async function mint(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) expect((await requestMint(alice, erc20)).status).toBe(200);
}

async function readIds(): Promise<Set<string>> {
  const rows = await query<{ id: string }>(db, 'select id from intents');
  return new Set(rows.map(({ id }) => id));
}

const BALANCES =
  'select account_id, meter, period, granted, held, committed from balances order by account_id, meter, period';

const ready = async (): Promise<number> => (await fetch(`${mintmark.url}/ready`)).status;

test('what was finished long ago goes into the file, row by row; what is needed stays; balances and tokens are as they were', async () => {
  const sandbox = await createKey(mintmark, alice, 'sandbox');
  const collection = await createCollection(sandbox.api);
  expect((await requestNft(sandbox.api, collection)).status).toBe(201);
  await mint(3);
  expect((await requestMint(alice, erc721, { amount: null })).status).toBe(200);
  const keyed = await requestMint(alice, erc20, { key: 'recorded' });
  const account = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
  const frozen = await alice.api.POST('/tokens/{address}/freeze', {
    params: { path: { address: erc20 } },
    body: { account },
  });
  expect(frozen.response.status).toBe(200);
  const failed = await requestMint(alice, erc20, { owner: account });
  expect(failed.status).toBe(502);
  await age(db, 40);
  const newest = await requestMint(alice, erc20);
  await waitForFees(db);
  const [before, ids] = [await readRows(db), await readIds()];
  const balances = await query(db, BALANCES);
  const stats = (await alice.api.GET('/stats')).data;

  const { file, archive: written, removed } = await archive(31, 'first.jsonl');
  expect(written!.sha256).toBe(sha256(file!));
  expect(statSync(file!).mode & 0o777).toBe(0o600);
  expect(removed).toEqual({ intents: written!.intents, transactions: written!.transactions, changed: 0 });
  // 3 mints, one of an NFT, the freeze, and the mint that failed.
  expect(written!.intents).toBe(6);
  const [inFile, left] = [readArchivedRows(file!), await readRows(db)];
  expect([...inFile, ...left].sort()).toEqual(before);
  const gone = [...ids].filter((id) => !inFile.every((row) => !row.includes(id)));
  expect(gone).toHaveLength(6);
  const kept = await readIds();
  expect(kept.has(keyed.intentId!) && kept.has(newest.intentId!)).toBe(true);
  expect(kept.has(failed.intentId!)).toBe(false);

  expect(await query(db, BALANCES)).toEqual(balances);
  expect(await countLedgerErrors(db)).toBe(0);
  expect((await alice.api.GET('/stats')).data).toEqual(stats);
  expect((await alice.api.GET('/tokens')).data!.data).toHaveLength(2);
  expect(await query(db, 'select token_id from nfts where transaction_hash is not null')).toHaveLength(1);
  const { error, response } = await alice.api.GET('/intents/{id}', {
    params: { path: { id: failed.intentId! } },
  });
  expect(response.status).toBe(404);
  expect(error!.message).toContain(`finished before ${dayAgo(31)} are archived`);
  expect(await cli.refuse('intents', 'show', failed.intentId!)).toContain(`finished before ${dayAgo(31)}`);
}, 120_000);

test('the service goes on: what it remembers of archived intents is not taken for lost, also after a restart', async () => {
  // The process has failed an intent that is archived now, and looks every fifth of a second.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await ready()).toBe(200);
  await mint(1);
  await mintmark.restart();
  ({ db } = mintmark.service.context);
  expect(await ready()).toBe(200);
  await mint(1);
}, 120_000);

test('the same command again deletes nothing and says the same of the file', async () => {
  const file = path.join(folder, 'first.jsonl');
  const before = readFileSync(file, 'utf8');
  expect(await archive(31, 'first.jsonl')).toMatchObject({
    archive: { sha256: sha256(file), intents: 6 },
    removed: { intents: 0, transactions: 0, changed: 0 },
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('where nothing was finished nothing is written', async () => {
  expect(await archive(400, 'nothing.jsonl')).toMatchObject({ file: null, archive: null });
  expect(readdirSync(folder)).toEqual(['first.jsonl']);
  expect(
    await cli.say('archive', '--before', dayAgo(400), '--to', path.join(folder, 'nothing.jsonl')),
  ).toMatch(/^Nothing was finished before /);
});

test('the rows of a file can be put back as they were, as docs/sizing.md says', async () => {
  const file = path.join(folder, 'first.jsonl');
  const before = await readRows(db);
  const handbook = readFileSync('docs/sizing.md', 'utf8');
  const [create, insert] = /<<'SQL'\n([^]*?)\nSQL\n/.exec(handbook)![1]!.split(/\n\\copy lines .*\n/);
  await db.transaction(async (tx) => {
    await query(tx, create!);
    await query(tx, 'insert into lines select unnest(:lines::text[])', {
      lines: readFileSync(file, 'utf8').trimEnd().split('\n'),
    });
    await query(tx, insert!);
  });
  expect(await readRows(db)).toEqual([...before, ...readArchivedRows(file)].sort());
  expect(await query(db, 'select 1 from balances where archived > 0')).toEqual([]);
  expect(await countLedgerErrors(db)).toBe(0);
});

/** Runs the command in a process that kills itself at a moment. */
async function killAt(point: ArchivePoint, days: number, file: string): Promise<void> {
  const script = path.join(import.meta.dirname, 'archive-killed.ts');
  const args = [script, mintmark.databaseUrl, `${dayAgo(days)}T00:00:00Z`, path.join(folder, file), point];
  const child = spawn(process.execPath, args, { env: bareEnvironment(), stdio: 'inherit' });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  // On a busy machine the server notices later that nobody is there: until then the command is refused.
  await until(async () => {
    const [row] = await query<{ isFree: boolean }>(
      db,
      `select pg_try_advisory_xact_lock(hashtext('mintmark archive')) as "isFree"`,
    );
    return row!.isFree || null;
  });
}

test.each<ArchivePoint>(['half-written', 'written', 'exported', 'noted', 'deleted-some', 'deleted-all'])(
  'killed at "%s" the command goes on where it was: nothing is lost, and nothing there twice',
  async (point) => {
    await mint(3);
    await age(db, 40);
    await mint(1);
    await waitForFees(db);
    const before = await readRows(db);
    const file = `${point}.jsonl`;
    await killAt(point, 32, file);
    const isDeleting = ['deleted-some', 'deleted-all'].includes(point);
    // Of what was killed before it deleted, every row is still here.
    if (!isDeleting) expect(await readRows(db)).toEqual(before);
    else expect((await readRows(db)).length).toBeLessThan(before.length);
    const written = isDeleting ? sha256(path.join(folder, file)) : null;

    const again = await archive(32, file);
    expect(again.archive!.intents).toBeGreaterThanOrEqual(3);
    if (written) expect(again.archive!.sha256).toBe(written);
    expect([...readArchivedRows(path.join(folder, file)), ...(await readRows(db))].sort()).toEqual(before);
    expect(await countLedgerErrors(db)).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(await query(db, 'select 1 from archives where deleted_at is null')).toEqual([]);
  },
  120_000,
);

test('what has changed since it was written stays, and is told', async () => {
  await mint(2);
  await age(db, 40);
  await mint(1);
  await killAt('noted', 32, 'changed.jsonl');
  const [changed] = readLines(path.join(folder, 'changed.jsonl')).flatMap(({ intent }) => intent ?? []);
  await query(db, `update intents set updated_at = updated_at + interval '1 second' where number = :number`, {
    number: String(changed!.number),
  });
  const { archive: written, removed } = await archive(32, 'changed.jsonl');
  expect(removed.intents).toBe(written!.intents - 1);
  // The transaction that it is in stays with it.
  expect(removed.changed).toBe(2);
  expect(await readIds()).toContain(changed!.id);
  expect(await countLedgerErrors(db)).toBe(0);
  expect((await archive(32, 'the rest.jsonl')).archive).toMatchObject({ intents: 1 });
}, 120_000);

test('a file that is not what was written is refused, and nothing deleted; without a file it is written anew', async () => {
  await mint(2);
  await age(db, 40);
  await mint(1);
  await waitForFees(db);
  await killAt('noted', 32, 'damaged.jsonl');
  const file = path.join(folder, 'damaged.jsonl');
  const [before, text] = [await readRows(db), readFileSync(file)];
  const command = ['archive', '--before', dayAgo(32), '--to'];
  const whole = text.toString();
  for (const damaged of [whole.slice(0, -20), `${whole}{}\n`, whole.replace('"mint"', '"mynt"'), '']) {
    writeFileSync(file, damaged);
    expect(await cli.refuse(...command, file)).toBe(
      `${file} is no whole archive: move it away, or give another name with --to`,
    );
  }
  writeFileSync(file, forge(whole.replace('"mint"', '"mynt"')));
  expect(await cli.refuse(...command, file)).toMatch(
    /is not what was noted of it: its SHA-256 was [0-9a-f]{64}/,
  );
  expect(await readRows(db)).toEqual(before);
  await rename(path.join(folder, 'first.jsonl'), file);
  expect(await cli.refuse(...command, file)).toMatch(/is another archive, of before/);
  await rename(file, path.join(folder, 'first.jsonl'));
  const { archive: written } = await archive(32, 'damaged.jsonl');
  expect(sha256(file)).toBe(written!.sha256);
  expect(readFileSync(file)).toEqual(text);
  expect([...readArchivedRows(file), ...(await readRows(db))].sort()).toEqual(before);
}, 120_000);

test('an archive that was interrupted is finished before another one begins, where its file is', async () => {
  await mint(2);
  await age(db, 40);
  await mint(1);
  await killAt('noted', 32, 'first half.jsonl');
  const [file, away] = [path.join(folder, 'first half.jsonl'), path.join(folder, 'away.jsonl')];
  await mint(1);
  await age(db, 40);
  await mint(1);
  await waitForFees(db);
  const before = await readRows(db);
  const next = ['archive', '--before', dayAgo(31), '--to', path.join(folder, 'second half.jsonl')];
  await rename(file, away);
  expect(await cli.refuse(...next)).toBe(
    `The archive ${file} is not finished, and not on this machine: run "archive --before ${dayAgo(32)} --to ${file}" where it is, or here if it is lost`,
  );
  expect(await readRows(db)).toEqual(before);
  await rename(away, file);
  const { archive: second } = await cli.ask<Archived>(...next);
  expect(second!.intents).toBeGreaterThanOrEqual(2);
  const files = [file, path.join(folder, 'second half.jsonl')].flatMap(readArchivedRows);
  expect([...files, ...(await readRows(db))].filter((row) => !before.includes(row))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(await countLedgerErrors(db)).toBe(0);
}, 120_000);

test('what is too new, no day, or of an unsettled past is refused with a sentence', async () => {
  const to = ['--to', path.join(folder, 'refused.jsonl')];
  for (const days of [-1, 0, MIN_AGE_DAYS - 1])
    expect(await cli.refuse('archive', '--before', dayAgo(days), ...to)).toMatch(
      /^What was finished less than 30 days ago is not archived: give \d{4}-\d\d-\d\d or an earlier day$/,
    );
  for (const text of ['2026-02-30', 'yesterday', '2026-8-1'])
    expect(await cli.refuse('archive', '--before', text, ...to)).toMatch(/A day looks like 2026-08-31/);
  expect(await cli.refuse('archive', '--before', dayAgo(31), '--to', '/nowhere/x.jsonl')).toMatch(/ENOENT/);
  await query(db, 'insert into deep_reorgs default values');
  expect(await cli.refuse('archive', '--before', dayAgo(31), ...to)).toMatch(/a deep reorg is not resolved/);
  await query(db, 'delete from deep_reorgs');
  expect(readdirSync(folder)).not.toContain('refused.jsonl');
});
