import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { SecurityScheme } from '../../src/http/document.ts';
import type { OperationId } from '../../src/http/operation.ts';
import { inParallel } from '../../lab/load/load.ts';
import { bearer, cookie, makeCredential } from '../../lab/stage/credentials.ts';
import type { CredentialKind, CredentialOptions, Headers } from '../../lab/stage/credentials.ts';
import { readDocumented, schemesOf } from '../../lab/stage/documented.ts';
import { STATUS_OF_ERROR } from '../../lab/stage/error-status.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { createOwner } from '../../lab/stage/things.ts';
import type { Owner, Things } from '../../lab/stage/things.ts';

/** Whose object the path names; seen from the first account. */
const OBJECTS = ['own', 'foreign', 'own sandbox', 'foreign sandbox', 'unknown'] as const;
type WhichObject = (typeof OBJECTS)[number];

interface Operation {
  id: OperationId;
  method: string;
  path: string;
  accepts: readonly string[];
  hasBody: boolean;
  isWrite: boolean;
}

interface Who {
  of: 'first' | 'second';
  scheme: SecurityScheme;
}
const KINDS = {
  session: 'session',
  accessToken: 'access_token',
  liveKey: 'api_key',
  sandboxKey: 'api_key',
} as const;

/** Every kind of credential, valid or not. `who` is null for an invalid one. */
const CREDENTIALS: Record<string, { who: Who | null; make: () => Promise<Headers> }> = {
  none: { who: null, make: async () => ({}) },
  garbage: { who: null, make: async () => bearer('mta_garbage') },
  'garbage cookie': { who: null, make: async () => cookie('garbage') },
  'another scheme': { who: null, make: async () => ({ Authorization: 'Basic YTpi' }) },
  'expired token': {
    who: null,
    make: async () => bearer(await secretOf('access_token', { state: 'expired' })),
  },
  'revoked token': {
    who: null,
    make: async () => bearer(await secretOf('access_token', { state: 'revoked' })),
  },
  'expired cookie': { who: null, make: async () => cookie(await secretOf('session', { state: 'expired' })) },
  'revoked cookie': { who: null, make: async () => cookie(await secretOf('session', { state: 'revoked' })) },
  'expired key': { who: null, make: async () => bearer(await secretOf('api_key', { state: 'expired' })) },
  'revoked key': { who: null, make: async () => bearer(await secretOf('api_key', { state: 'revoked' })) },
  'session as bearer': { who: null, make: async () => bearer(await secretOf('session')) },
  'token as cookie': { who: null, make: async () => cookie(await secretOf('access_token')) },
  'key as cookie': { who: null, make: async () => cookie(await secretOf('api_key')) },
  'garbage beside a good cookie': {
    who: null,
    make: async () => ({ ...bearer('garbage'), ...cookie(await secretOf('session')) }),
  },
  cookie: valid('first', 'session'),
  'access token': valid('first', 'accessToken'),
  'live key': valid('first', 'liveKey'),
  'sandbox key': valid('first', 'sandboxKey'),
  'sandbox token of a session': valid('first', 'sandboxKey', 'sandbox_token'),
  'cookie of another account': valid('second', 'session'),
  'access token of another account': valid('second', 'accessToken'),
  'live key of another account': valid('second', 'liveKey'),
  'sandbox key of another account': valid('second', 'sandboxKey'),
};

function valid(of: Who['of'], scheme: SecurityScheme, kind: CredentialKind = KINDS[scheme]) {
  const environment = scheme === 'sandboxKey' ? 'sandbox' : 'live';
  const toHeaders = scheme === 'session' ? cookie : bearer;
  return { who: { of, scheme }, make: async () => toHeaders(await secretOf(kind, { environment }, of)) };
}

interface Row {
  /** What the path names: null when it names nothing. */
  names: keyof Things | 'key' | 'nft' | 'doomed webhook' | null;
  /** Statuses of an allowed request; a write that may find nothing to do has two. */
  success: readonly number[];
  body?: () => unknown;
  /** The session whose cookie comes along ends. */
  endsSession?: true;
  /** Prepared for each cell in which it is allowed. */
  prepare?: (who: Who) => Promise<{ headers?: Headers; body?: unknown; id?: string }>;
  /** Statuses that deviate from the rules, by object. */
  instead?: Partial<Record<WhichObject, number>>;
}

const metadata = () => ({ name: 'Name', description: 'Text' });
const account = () => ({ account: RECIPIENT });
/** With `Prefer: respond-async` a write is accepted, unless nothing is to be done. */
const WRITE = [202] as const;
const CONTROL = [200, 202] as const;
const byWho = (live: readonly number[], sandbox: readonly number[]) => ({ live, sandbox });
/** In the sandbox the verdict comes at once. */
const CREATED = byWho([202], [201]);
const SET = byWho([202], [200]);

const control = (): Row => ({ names: 'token', success: CONTROL });
const accountControl = (): Row => ({ names: 'token', success: CONTROL, body: account });
const read = (names: Row['names'], rest: Partial<Row> = {}): Row => ({ names, success: [200], ...rest });
const publicRead = (names: Row['names']): Row =>
  read(names, { instead: { foreign: 200, 'own sandbox': 404, 'foreign sandbox': 404, unknown: 404 } });

/** One row for every operation. Without its row a new operation does not compile, and fails the first test. */
const ROWS: Record<OperationId, Omit<Row, 'success'> & { success: readonly number[] | typeof CREATED }> = {
  getHealth: read(null),
  getReady: read(null),
  getOpenapi: read(null),
  getNetwork: read(null),
  registerAccount: {
    names: null,
    success: [201],
    endsSession: true,
    prepare: async () => ({ body: await freshRegistration() }),
  },
  logIn: { names: null, success: [200], endsSession: true, body: () => passwordOf(first.account) },
  signIn: { names: null, success: [200], body: () => passwordOf(first.account) },
  createAccessToken: { names: null, success: [200] },
  signOut: { names: null, success: [204], prepare: freshCredential },
  logOut: { names: null, success: [204], prepare: freshCredential },
  changePassword: {
    names: null,
    success: [204],
    prepare: freshAccount,
    body: () => ({ currentPassword: 'wrong password', newPassword: 'another password' }),
  },
  getSession: read(null),
  getProfile: read(null),
  updateProfile: { names: null, success: [200], body: () => ({ walletAddress: null }) },
  getStats: read(null),
  getGasStats: read(null),
  getCredits: read(null),
  listApiKeys: read(null),
  createApiKey: { names: null, success: [201], body: () => ({ name: 'key' }) },
  revokeApiKey: { names: 'key', success: [200] },
  listTokens: read(null),
  deployToken: { names: null, success: WRITE, body: () => ({ type: 'ERC20', name: 'Coin', symbol: 'C' }) },
  getToken: read('token'),
  mintToken: { names: 'token', success: WRITE, body: () => ({ owner: RECIPIENT, amount: '1' }) },
  pauseToken: control(),
  unpauseToken: control(),
  lockTransfers: control(),
  unlockTransfers: control(),
  freezeAccount: accountControl(),
  unfreezeAccount: accountControl(),
  approveAccount: accountControl(),
  unapproveAccount: accountControl(),
  closeMint: control(),
  reopenMint: control(),
  renounceControls: control(),
  restoreControls: control(),
  setMintLimit: { names: 'token', success: CONTROL, body: () => ({ perDay: '5' }) },
  // Once the only unit is burned, others fail on the chain, after they were accepted.
  forceTransfer: {
    names: 'token',
    success: WRITE,
    body: () => ({ from: RECIPIENT, to: null, amount: '1' }),
  },
  // An ERC-20 has no royalty; a collection works under /tokens too.
  setRoyalty: {
    names: 'collection',
    success: CONTROL,
    body: () => ({ receiver: RECIPIENT, basisPoints: 500 }),
  },
  freezeMetadata: { names: 'token', success: CONTROL, body: () => ({}) },
  unfreezeMetadata: control(),
  getTokenLimits: read('token'),
  getTokenAccount: read('token'),
  getMetadata: read('token'),
  setMetadata: { names: 'token', success: WRITE, body: metadata },
  listMetadataKeys: read('token'),
  previewMetadata: {
    names: null,
    success: [200],
    body: () => ({ name: 'Art', symbol: 'A', metadata: metadata() }),
  },
  getContractUri: publicRead('collection'),
  getTokenUri: publicRead('nft'),
  listIntents: read(null),
  getIntent: read('intent'),
  getIntentTimeline: read('intent'),
  // Every intent of the matrix is confirmed already.
  cancelIntent: { names: 'intent', success: [409] },
  listCollections: read(null),
  createCollection: { names: null, success: CREATED, body: () => ({ name: 'Art', symbol: 'A' }) },
  getCollection: read('collection'),
  listCollectionTokens: read('collection'),
  mintNft: { names: 'collection', success: CREATED, body: () => ({ to: RECIPIENT }) },
  mintNftBatch: { names: 'collection', success: CREATED, body: () => ({ items: [{ to: RECIPIENT }] }) },
  setCollectionMetadata: { names: 'collection', success: SET, body: metadata },
  setNftMetadata: { names: 'nft', success: SET, body: metadata },
  listWebhooks: read(null),
  createWebhook: { names: null, success: [201], body: () => ({ url: 'https://receiver.invalid/hook' }) },
  getWebhook: read('webhook'),
  updateWebhook: { names: 'webhook', success: [200], body: () => ({ enabled: true }) },
  deleteWebhook: { names: 'doomed webhook', success: [204] },
  rotateWebhookSecret: { names: 'webhook', success: [200] },
  testWebhook: { names: 'webhook', success: [201] },
  listWebhookDeliveries: read('webhook'),
  listAudit: read(null),
  replayWebhookDelivery: { names: 'webhook', success: [200] },
};

const ownerOf = (object: WhichObject): Who['of'] | null =>
  object === 'unknown' ? null : object.startsWith('own') ? 'first' : 'second';
const environmentOf = (object: WhichObject) => (object.endsWith('sandbox') ? 'sandbox' : 'live');

/** The statuses that the rules allow in one cell. */
function expectedOf(
  { id, accepts }: Operation,
  who: Who | null,
  object: WhichObject | null,
): readonly number[] {
  const row = ROWS[id];
  const environment = who?.scheme === 'sandboxKey' ? 'sandbox' : 'live';
  const success = 'live' in row.success ? row.success[environment] : row.success;
  if (accepts.length === 0) {
    const instead = object && row.instead?.[object];
    return instead ? [instead] : success;
  }
  // An unknown credential, or one of a kind that the operation does not take, is 401. The token API knows API keys:
  // 403.
  if (!who) return [401];
  if (!accepts.includes(who.scheme)) {
    return accepts.includes('accessToken') && who.scheme.endsWith('Key') ? [403] : [401];
  }
  if (object === null) return success;
  // Keys belong to the account; everything else belongs also to an environment, and is 404 in the other one.
  const isOwn = ownerOf(object) === who.of;
  if (row.names === 'key') return isOwn ? success : [404];
  if (object === 'unknown' || environmentOf(object) !== environment) return [404];
  if (isOwn) return success;
  return row.names === 'intent' || row.names?.includes('webhook') ? [404] : [403];
}

let mintmark: TestService;
let first: Owner;
let second: Owner;
const unknown = {
  token: Wallet.createRandom().address,
  collection: Wallet.createRandom().address,
  intent: randomUUID(),
  webhook: randomUUID(),
  delivery: randomUUID(),
};

/** openapi.yaml, read without code of the service. */
const operations = readDocumented().map((documented): Operation => ({
  id: documented.operationId as OperationId,
  method: documented.method,
  path: documented.path,
  accepts: schemesOf(documented),
  hasBody: documented.requestBody !== undefined,
  isWrite: documented.parameters.some(({ name }) => name === 'Idempotency-Key'),
}));

const of = (which: Who['of']): TestAccount => (which === 'first' ? first : second).account;
const secretOf = async (
  kind: CredentialKind,
  options: CredentialOptions = {},
  which: Who['of'] = 'first',
): Promise<string> => (await makeCredential(mintmark.service.context.db, of(which).id, kind, options)).secret;
const passwordOf = ({ email, password }: TestAccount) => ({ email, password });

async function freshRegistration() {
  const inviteCode = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([inviteCode]);
  return { email: `${randomUUID()}@example.com`, password: 'correct horse battery', inviteCode };
}
async function freshCredential({ of: which, scheme }: Who) {
  return { headers: await valid(which, scheme).make() };
}
async function freshAccount() {
  const { cookie: session, password } = await mintmark.register();
  return {
    headers: cookie(session),
    body: { currentPassword: password, newPassword: 'staple correct horse' },
  };
}

async function thingOf(names: Row['names'], object: WhichObject, isLetIn: boolean): Promise<string> {
  const owner = ownerOf(object);
  if (names === 'doomed webhook') {
    if (!owner || !isLetIn) return randomUUID();
    const { db } = mintmark.service.context;
    const id = randomUUID();
    await query(
      db,
      `insert into webhooks (id, account_id, environment, url, events, secret)
       values (:id, :accountId, :environment, 'https://receiver.invalid/hook', '{intent.failed}', :secret)`,
      { id, accountId: of(owner).id, environment: environmentOf(object), secret: Buffer.alloc(60) },
    );
    return id;
  }
  if (names === 'key') {
    if (!owner) return randomUUID();
    const environment = environmentOf(object);
    const { db } = mintmark.service.context;
    return (await makeCredential(db, of(owner).id, 'api_key', { environment })).id;
  }
  return thingsOf(object)[names === 'nft' || names === null ? 'collection' : names];
}

function thingsOf(object: WhichObject): Things {
  const owner = ownerOf(object);
  return owner ? (owner === 'first' ? first : second)[environmentOf(object)] : unknown;
}

interface Cell {
  operation: Operation;
  credential: string;
  object: WhichObject | null;
}
const cells: Cell[] = operations.flatMap((operation) =>
  Object.keys(CREDENTIALS).flatMap((credential): Cell[] =>
    (ROWS[operation.id]?.names ? OBJECTS : [null]).map((object) => ({ operation, credential, object })),
  ),
);

/** Where the cookie alone is taken a header beside it is passed over; elsewhere Bearer beats the cookie. */
const whoOf = ({ accepts }: Operation, credential: string): Who | null =>
  credential === 'garbage beside a good cookie' && accepts.every((scheme) => scheme === 'session')
    ? { of: 'first', scheme: 'session' }
    : CREDENTIALS[credential]!.who;

interface Seen {
  status: number;
  text: string;
  intentId: string | null;
}

/** Credentials that no cell ends are made once. */
const made = new Map<string, Promise<Headers>>();

async function call({ operation, credential, object }: Cell): Promise<Seen> {
  const { make } = CREDENTIALS[credential]!;
  const who = whoOf(operation, credential);
  const row = ROWS[operation.id];
  const isLetIn = operation.accepts.length === 0 || (who !== null && operation.accepts.includes(who.scheme));
  const prepared = isLetIn && row.prepare ? await row.prepare(who ?? { of: 'first', scheme: 'session' }) : {};
  if (!made.has(credential)) made.set(credential, make());
  const headers = prepared.headers ?? (await (row.endsSession ? make() : made.get(credential)));
  const body = prepared.body ?? row.body?.() ?? (row.prepare && operation.hasBody ? {} : undefined);
  const thing = object && (await thingOf(row.names, object, isLetIn));
  const { delivery } = object ? thingsOf(object) : unknown;
  const response = await fetch(
    mintmark.url +
      operation.path
        .replace(/\{(address|id)\}/, thing ?? '')
        .replace('{tokenId}', '1')
        .replace('{account}', RECIPIENT)
        .replace('{deliveryId}', delivery),
    {
      method: operation.method.toUpperCase(),
      headers: {
        ...headers,
        ...(operation.isWrite ? { Prefer: 'respond-async' } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  );
  return {
    status: response.status,
    text: await response.text(),
    intentId: response.headers.get('intent-id'),
  };
}

beforeAll(async () => {
  mintmark = await startTestService({ ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' });
  first = await createOwner(mintmark);
  second = await createOwner(mintmark);
});

afterAll(() => mintmark?.stop());

test('every operation of the contract has its row, and every row its operation', () => {
  expect(Object.keys(ROWS).sort()).toEqual(operations.map(({ id }) => id).sort());
});

test('every operation x every credential x every object answers as the rules say', async () => {
  const { db } = mintmark.service.context;
  const before = new Set((await query<{ id: string }>(db, 'select id from intents')).map(({ id }) => id));
  const wrong: string[] = [];
  const leaks: string[] = [];
  const accepted = new Set<string>();
  const secretsOfSecond = [
    second.account.email,
    second.account.id,
    second.live.intent,
    second.sandbox.intent,
    second.live.webhook,
    second.sandbox.webhook,
  ];

  await inParallel(cells.length, 8, async (index) => {
    const cell = cells[index]!;
    const { operation, credential, object } = cell;
    const who = whoOf(operation, credential);
    const { status, text, intentId } = await call(cell);
    const name = `${operation.id}, ${credential}, ${object ?? 'no object'}`;
    const expected = expectedOf(operation, who, object);
    if (!expected.includes(status)) wrong.push(`${name}: ${status} and not ${expected.join(' or ')} ${text}`);
    if (status < 300 && intentId) accepted.add(intentId);
    if (status >= 400) {
      const { code, message, ...rest } = JSON.parse(text) as { code: string; message: string };
      const isWhole = STATUS_OF_ERROR[code] === status && message !== '' && Object.keys(rest).length === 0;
      if (!isWhole) wrong.push(`${name}: ${text}`);
    }
    const isSecond = who?.of === 'second' || operation.id === 'registerAccount';
    if (!isSecond)
      leaks.push(
        ...secretsOfSecond.filter((secret) => text.includes(secret)).map((each) => `${name}: ${each}`),
      );
  });

  process.stdout.write(
    `${cells.length} cells: ${operations.length} operations, ${Object.keys(CREDENTIALS).length} credentials\n`,
  );
  expect(wrong).toEqual([]);
  expect(leaks).toEqual([]);
  // Refused requests left nothing behind: every intent belongs to an accepted request.
  const after = await query<{ id: string }>(db, 'select id from intents');
  expect(after.map(({ id }) => id).filter((id) => !before.has(id) && !accepted.has(id))).toEqual([]);
});
