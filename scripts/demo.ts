import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { createMintmarkClient } from '../generated/client.ts';
import type { MintmarkClient } from '../generated/client.ts';
import type { components } from '../generated/api.ts';

/**
 * Runs through the collection API with the generated client against a running service:
 *
 *   npm run demo -- --invite CODE [--url http://127.0.0.1:3000] [--picture .data/demo.svg]
 *
 * The code is the one that `npm start` shows. Ends with code 1 when anything is not as the service promises.
 */
type Schemas = components['schemas'];
interface Answer<Data> {
  data?: Data;
  error?: Schemas['ErrorBody'];
  response: Response;
}

const ALICE = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const BOB = '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF';

/** What a step took, as its answer said. */
interface Entry {
  what: string;
  cost: number;
  remaining: number | null;
  hash: string | null;
  intentId: string;
}

class Failure extends Error {}

/** The data of a success; an open write has none yet. */
function must<Data>({ data, error, response }: Answer<Data>): Exclude<Data, Schemas['IntentAccepted']> {
  if (data === undefined) {
    throw new Failure(`${response.status} ${error?.code ?? ''}: ${error?.message ?? response.statusText}`);
  }
  if (response.status === 202) {
    throw new Failure(`the chain is slow: intent ${response.headers.get('Intent-Id')} is still under way`);
  }
  return data as Exclude<Data, Schemas['IntentAccepted']>;
}

const say = (text = ''): void => console.log(text);
const credits = (count: number): string =>
  count === 0 ? 'free' : `${count} credit${count === 1 ? '' : 's'}`;

const entries: Entry[] = [];

/** Prints a write with its price and hash, and keeps it for the ledger. */
function note(what: string, response: Response, spent: Schemas['CreditsSpent'] | null = null): void {
  const hash = response.headers.get('Transaction-Hash');
  const intentId = response.headers.get('Intent-Id')!;
  entries.push({ what, hash, intentId, cost: spent?.cost ?? 0, remaining: spent?.remaining ?? null });
  say(`  ${what}: ${credits(spent?.cost ?? 0)}`);
  say(`    ${hash === null ? 'nothing was sent to a chain' : `transaction ${hash}`}`);
}

async function register(
  url: string,
  inviteCode: string,
): Promise<{ email: string; session: MintmarkClient }> {
  const body = { email: `demo-${randomUUID()}@example.com`, password: `demo ${randomUUID()}`, inviteCode };
  const answer = await createMintmarkClient({ baseUrl: url }).POST('/v1/auth/register', { body });
  const { email } = must(answer);
  const cookie = /service_session=([^;]+)/.exec(answer.response.headers.getSetCookie()[0] ?? '')?.[1];
  if (cookie === undefined) throw new Failure('the registration set no session cookie');
  return { email, session: createMintmarkClient({ baseUrl: url, cookie }) };
}

async function createKey(
  url: string,
  session: MintmarkClient,
  environment: 'live' | 'sandbox',
): Promise<MintmarkClient> {
  const { key, keyPrefix } = must(
    await session.POST('/v1/api-keys', { body: { name: `demo, ${environment}`, environment } }),
  );
  if (key === undefined) throw new Failure('a new key was answered without its secret');
  say(`  a ${environment} key: ${keyPrefix}… (the rest is shown once and kept nowhere)`);
  return createMintmarkClient({ baseUrl: url, token: key });
}

async function createCollection(api: MintmarkClient, name: string): Promise<string> {
  const answer = await api.POST('/v1/collections', { body: { name, symbol: 'HARB' } });
  const collection = must(answer);
  note(`collection "${name}" at ${collection.address}`, answer.response, collection.credits);
  return collection.address;
}

async function mint(
  api: MintmarkClient,
  address: string,
  body: Schemas['MintNftRequest'],
  key: string = randomUUID(),
): Promise<Schemas['MintedNft']> {
  const answer = await api.POST('/v1/collections/{address}/mint', {
    params: { path: { address }, header: { 'Idempotency-Key': key } },
    body,
  });
  const minted = must(answer);
  if (!entries.some(({ intentId }) => intentId === answer.response.headers.get('Intent-Id'))) {
    note(`token ${minted.tokenId} for ${minted.to}`, answer.response, minted.credits);
  }
  return minted;
}

async function mintLive(api: MintmarkClient, address: string): Promise<void> {
  const key = randomUUID();
  const first = await mint(api, address, { to: ALICE }, key);
  const again = await mint(api, address, { to: ALICE }, key);
  if (again.tokenId !== first.tokenId) throw new Failure('a retry minted twice');
  say('    asked again under the same Idempotency-Key: the same answer, and no second token');

  const metadata = {
    name: 'Blue Hour',
    description: 'The harbour after sunset.',
    image: 'ipfs://bafybeialiceart/1.png',
    attributes: { edition: 7, framed: true, mood: 'calm' },
  };
  await mint(api, address, { to: BOB, metadata });
  const batch = await api.POST('/v1/collections/{address}/mint/batch', {
    params: { path: { address } },
    body: { items: [{ to: ALICE }, { to: BOB }, { to: ALICE, metadata: { ...metadata, name: 'Dawn' } }] },
  });
  const minted = must(batch);
  const ids = minted.tokens.map(({ tokenId }) => tokenId).join(', ');
  note(`tokens ${ids} in one batch`, batch.response, minted.credits);
}

async function describe(api: MintmarkClient, address: string): Promise<void> {
  const body = { name: 'Harbour Lights', description: 'Evenings at the water.' };
  const collection = await api.PUT('/v1/collections/{address}/metadata', {
    params: { path: { address } },
    body,
  });
  must(collection);
  note('metadata of the collection', collection.response);
  const token = await api.PUT('/v1/collections/{address}/tokens/{tokenId}/metadata', {
    params: { path: { address, tokenId: '2' } },
    body: { name: 'Blue Hour, revised', description: 'The harbour, later.', attributes: { edition: 8 } },
  });
  must(token);
  note('metadata of token 2', token.response);
}

/** Writes the picture of token 1, which the contract draws. */
async function keepPicture(api: MintmarkClient, address: string, file: string): Promise<void> {
  const { name, image } = must(
    await api.GET('/tokenURI/{address}/{tokenId}', { params: { path: { address, tokenId: '1' } } }),
  );
  const [type, data] = (image ?? '').split(',');
  if (type !== 'data:image/svg+xml;base64' || !data) throw new Failure('token 1 has no picture');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, Buffer.from(data, 'base64'));
  say(`  "${name}", drawn by the contract itself: ${file}`);
}

/** Compares the credits that the steps add up to with those of the service. */
async function balance(session: MintmarkClient): Promise<void> {
  const { plan, monthlyCredits, creditsUsed, creditsRemaining } = must(
    await session.GET('/v1/billing/credits'),
  );
  const row = (what: string, amount: number, left: number): void =>
    say(`  ${what.padEnd(74)}${String(amount).padStart(6)}${String(left).padStart(6)}`);
  row(`granted for the month, plan ${plan}`, monthlyCredits, monthlyCredits);
  let left = monthlyCredits;
  for (const { what, cost, remaining, hash } of entries) {
    if (hash === null) continue;
    left -= cost;
    row(what, -cost, left);
    if (remaining !== null && remaining !== left) throw new Failure(`the answer said ${remaining} were left`);
  }
  row('as GET /v1/billing/credits says', -creditsUsed, creditsRemaining);
  if (left !== creditsRemaining) throw new Failure('the steps do not add up to the balance');
}

async function play(url: string, inviteCode: string, picture: string): Promise<void> {
  say(`Register at ${url}`);
  const { email, session } = await register(url, inviteCode);
  say(`  as ${email}`);
  const { creditsRemaining, prices } = must(await session.GET('/v1/billing/credits'));
  say(`  ${creditsRemaining} credits; a collection costs ${prices.createCollection}, a mint ${prices.mint}`);

  say('\nTry it out in the sandbox');
  const sandbox = await createKey(url, session, 'sandbox');
  const tried = await createCollection(sandbox, 'Harbour Lights, a try-out');
  await mint(sandbox, tried, { to: ALICE });

  say('\nNow on the chain');
  const api = await createKey(url, session, 'live');
  const address = await createCollection(api, 'Harbour Lights');
  await mintLive(api, address);
  await describe(api, address);

  say('\nWhat is there');
  const { data: tokens } = must(
    await api.GET('/v1/collections/{address}/tokens', { params: { path: { address } } }),
  );
  for (const { tokenId, to } of tokens.toReversed()) say(`  token ${tokenId} of ${to}`);
  await keepPicture(api, address, picture);

  say('\nThe ledger of this account, in credits');
  await balance(session);
}

const values = new Command('npm run demo --')
  .description(
    'Plays the whole story against a running service: register, key, sandbox, collection, mints, credits.',
  )
  .requiredOption('--invite <code>', 'the invite code that `npm start` shows')
  .option('--url <url>', 'where the service answers', 'http://127.0.0.1:3000')
  .option('--picture <file>', 'where the picture of the first token goes', path.join('.data', 'demo.svg'))
  .parse()
  .opts<{ invite: string; url: string; picture: string }>();
try {
  await play(values.url, values.invite, values.picture);
} catch (error) {
  const message = error instanceof Failure ? error.message : error;
  const away = error instanceof TypeError && error.message === 'fetch failed';
  console.error(away ? `Nothing answers at ${values.url}: is \`npm start\` running?` : message);
  process.exitCode = 1;
}
