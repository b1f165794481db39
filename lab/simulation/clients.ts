import { setTimeout as sleep } from 'node:timers/promises';
import type { Burst } from './burst.ts';
import { ConnectionLost, callHandler } from './call.ts';
import type { Account, Asked, Environment } from './call.ts';
import { createToken, drawFamily } from './requests.ts';
import type { Planned } from './requests.ts';
import type { Answered, IntentRead, Wish } from '../judge/history.ts';
import type { Random } from '../random.ts';
import type { ServiceProcess } from './service.ts';
import type { World } from './world.ts';

export interface Clients {
  wishes: Wish[];
  /** Resolves when every request has its verdict. */
  done: Promise<unknown>;
}

interface ClientParts {
  world: World;
  /** Those that there are now. */
  processes: () => readonly ServiceProcess[];
  accounts: readonly Account[];
  random: Random;
  /** How many requests there are, deployments included. */
  requests: number;
  /** Milliseconds over which they begin. */
  spreadMs: number;
  /** Some of the requests, at once. */
  burst: Burst | null;
}

/** After how long a client gives up an answer; most of them soon. */
const MIN_TIMEOUT_MS = 500;
const MAX_TIMEOUT_MS = 70_000;
/** How likely it sends the same request twice at once, as a retry does that overtakes what it repeats. */
const TWICE = 0.15;
/** A token of many mints is deployed so soon. */
const SOON_MS = 2_000;
const RETRY_MS = 1_000;
const READ_MS = 3_000;
/** An error without an intent may pass: the client asks again. One with an intent tells what became of it. */
const isVerdict = ({ status, intentId }: Answered): boolean =>
  status !== 500 && (intentId !== null || ![409, 429, 503].includes(status));

/** Plans the requests of a world, and sends them: each until it has an answer, under its key. */
export function startClients(parts: ClientParts): Clients {
  const { world, accounts, random, requests, spreadMs, burst } = parts;
  const wishes: Wish[] = [];
  const begun = world.scheduler.now;

  const send = async (account: Account, environment: Environment, planned: Planned): Promise<Wish> => {
    const { effect, items = 1, refusal = null, asked, cancelAfterMs = null } = planned;
    const wish: Wish = {
      key: `key-${wishes.length + 1}`,
      account: account.accountId,
      environment,
      operation: asked.operation,
      effect,
      items,
      ...(refusal !== null && { refusal }),
      askedAt: world.scheduler.now,
      sendings: 0,
      answers: [],
      reads: [],
      cancels: [],
    };
    wishes.push(wish);
    const full = { account, environment, key: wish.key, ...asked };
    await fulfil(parts, wish, full, cancelAfterMs);
    return wish;
  };

  const useToken = async (account: Account, place: number, uses: number): Promise<void> => {
    const isBursting = burst !== null && place === 0;
    await sleep(random.whole(0, isBursting ? SOON_MS : spreadMs / 4));
    const family = drawFamily(random, place);
    const environment = family === 'sandbox' ? 'sandbox' : 'live';
    const token = createToken(random, family);
    token.contract = contractOf(await send(account, environment, token.deployment)) ?? '';
    if (token.contract === '') return;
    const ask = async (waitMs: number, draw: () => Planned): Promise<void> => {
      await sleep(waitMs);
      const planned = draw();
      const wish = await send(account, environment, planned);
      const tokenId = wish.reads.at(-1)?.intent.tokenId;
      if (tokenId) token.minted.push(tokenId);
    };
    const asking = Array.from({ length: uses }, () => ask(random.whole(0, spreadMs), token.draw));
    const untilBurst = begun + (burst?.at ?? 0) - world.scheduler.now;
    const bursting = Array.from({ length: isBursting ? burst.mints : 0 }, () =>
      ask(untilBurst + random.whole(0, burst!.withinMs), token.drawMint),
    );
    await Promise.all([...asking, ...bursting]);
  };

  const tokens = Math.max(1, Math.round(requests / 12));
  const others = Math.max(0, requests - tokens - (burst?.mints ?? 0));
  const uses = Array.from({ length: tokens }, (_, index) => Math.floor((others + index) / tokens));
  const done = Promise.all(
    uses.map((each, index) => useToken(accounts[index % accounts.length]!, index, each)),
  );
  return { wishes, done };
}

/** Where it was deployed, by its answer; null when it failed. */
function contractOf(deployment: Wish): string | null {
  const intent = deployment.reads.at(-1)?.intent;
  return intent?.status === 'confirmed' ? intent.contract.toLowerCase() : null;
}

/**
 * Sends a request again and again until there is a verdict, and then reads what came of its intent. What the service
 * knows no more is sent again, unless its verdict was answered.
 */
async function fulfil(
  parts: ClientParts,
  wish: Wish,
  asked: Asked,
  cancelAfterMs: number | null,
): Promise<void> {
  const { random, world } = parts;
  const send = async (): Promise<Answered | null> => {
    const askedAt = world.scheduler.now;
    wish.sendings += 1;
    const answer = await attempt(parts, asked, random.latency(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS));
    if (!answer) return null;
    wish.answers.push({ ...answer, askedAt, at: world.scheduler.now });
    const { status, body } = answer;
    world.trace.note('answer', wish.key, `${asked.operation} ${status} ${JSON.stringify(body)}`);
    return answer;
  };
  const second = random.chance(TWICE) ? send() : null;
  for (let isKnown = false; !isKnown;) {
    const answer = await send();
    if (!answer || !isVerdict(answer)) {
      await sleep(RETRY_MS + random.whole(0, RETRY_MS));
      continue;
    }
    await second;
    const intentId = wish.answers.findLast((each) => each.intentId !== null)?.intentId;
    // What an answer on the way would have said is unknown.
    if (answer.intentId === null) wish.isGivenUp = true;
    if (!intentId) return;
    if (cancelAfterMs !== null && wish.cancels.length === 0)
      await cancel(parts, wish, { ...asked, intentId, afterMs: cancelAfterMs });
    const isThere = await readUntilSettled(parts, wish, asked.account, intentId);
    isKnown = isThere || answer.status !== 202;
    if (isKnown && !isThere) wish.isGivenUp = true;
  }
}

/** Reads an intent until it is settled. Returns whether it was there. */
async function readUntilSettled(
  parts: ClientParts,
  wish: Wish,
  account: Account,
  id: string,
): Promise<boolean> {
  for (;;) {
    await sleep(READ_MS);
    const status = await readIntent(parts, wish, account, id);
    if (status === 'unknown') return false;
    if (status !== null && status !== 'queued' && status !== 'submitted') return true;
  }
}

/** Withdraws a request, once: whether it came in time is for the service to say. */
async function cancel(
  parts: ClientParts,
  wish: Wish,
  { account, environment, intentId, afterMs }: Asked & { intentId: string; afterMs: number },
): Promise<void> {
  await sleep(afterMs);
  const askedAt = parts.world.scheduler.now;
  const asked = { operation: 'cancelIntent', path: { id: intentId }, key: `${wish.key}-cancel` } as const;
  const answer = await attempt(parts, { account, environment, ...asked }, MAX_TIMEOUT_MS);
  if (!answer) {
    // It may have been carried out all the same.
    wish.cancels.push({ askedAt, at: parts.world.scheduler.now, status: 0, body: null, intentId });
    return;
  }
  wish.cancels.push({ ...answer, askedAt, at: parts.world.scheduler.now });
}

/** Asks for the intent. Returns its status: `unknown` when there is none, null when nobody says. */
export async function readIntent(
  parts: Pick<ClientParts, 'world' | 'processes' | 'random'>,
  wish: Wish,
  account: Account,
  id: string,
): Promise<IntentRead['status'] | 'unknown' | null> {
  const askedAt = parts.world.scheduler.now;
  const asked = { operation: 'getIntent', path: { id } } as const;
  const { environment } = wish;
  const answer = await attempt(parts, { account, environment, ...asked }, MAX_TIMEOUT_MS);
  if (answer?.status === 404) return 'unknown';
  if (answer?.status !== 200) return null;
  const intent = answer.body as IntentRead;
  wish.reads.push({ askedAt, at: parts.world.scheduler.now, intent });
  return intent.status;
}

/** Null when no answer came in time, or the process ended. */
export async function attempt(
  { world, processes, random }: Pick<ClientParts, 'world' | 'processes' | 'random'>,
  asked: Asked,
  timeoutMs: number,
): Promise<Answered | null> {
  const live = processes().filter(({ composition, machine }) => composition && !machine.isDead);
  if (live.length === 0) return null;
  const giveUp = new AbortController();
  const late = sleep(timeoutMs, null, { signal: giveUp.signal }).catch(() => null);
  const answered = callHandler(world, random.pick(live), asked).catch((error: unknown) => {
    if (error instanceof ConnectionLost) return null;
    throw error;
  });
  const answer = await Promise.race([answered, late]);
  giveUp.abort();
  return answer;
}
