import { createHmac } from 'node:crypto';
import { isForgotten, lossesOf } from './case.ts';
import type { Case, Matter, Violation } from './case.ts';
import { isExplained, seesOtherFork } from './failure-rules.ts';
import type { IntentRead, Received, RunHistory } from './history.ts';
import { union } from './reach.ts';
import { isSettled } from './reports.ts';
import type { Report } from './reports.ts';

interface Message {
  type: string;
  sequence: number;
  data: IntentRead;
  id: string;
  at: number;
  account: string;
}

/** The status that a type of message tells of. */
const STATUS: Readonly<Record<string, readonly string[]>> = {
  'intent.confirmed': ['confirmed'],
  'intent.failed': ['failed'],
  'intent.retracted': ['queued', 'submitted'],
};

/** What the receivers of webhooks got, against what clients read. */
export function judgeMessages(of: Case): Violation[] {
  const found: Violation[] = [];
  const add = (rule: string, subject: string, detail: string): void =>
    void found.push({ rule, subject, detail });
  const messages = of.history.received.flatMap((received): Message[] => {
    const fault = faultOf(of, received);
    if (fault) add('a sound message', received.headers['webhook-id'] ?? received.receiver, fault);
    const { type, sequence, data } = JSON.parse(received.body) as Message;
    const account = of.history.receivers[received.receiver]?.account;
    if (account === undefined || !(type in STATUS)) return [];
    return [{ type, sequence, data, id: received.headers['webhook-id']!, at: received.at, account }];
  });
  const byIntent = Map.groupBy(messages, ({ data }) => data.id);
  for (const matter of of.matters) {
    const intentId = matter.reports.at(-1)?.intentId;
    if (intentId === undefined) continue;
    const own = (byIntent.get(intentId) ?? [])
      .filter((each) => !isLost(of, each))
      .toSorted((one, other) => one.sequence - other.sequence);
    byIntent.delete(intentId);
    for (const fault of [...faultsOf(matter, own), ...retractedInVain(of, own)])
      add('messages of an intent', matter.wish.key, fault);
    const fault = lastWordOf(of, matter, own);
    if (fault) add('the last word of the webhooks', matter.wish.key, fault);
  }
  for (const [id, own] of byIntent) {
    const isUnknown = of.matters.some(
      ({ wish, verdict }) => wish.account === own[0]!.account && verdict === 'unknown',
    );
    if (!isUnknown && !own.every((each) => isLost(of, each)))
      add('messages of an intent', id, 'nobody asked for it');
  }
  return found;
}

/** A message that is under way comes so much later at the most. */
const UNDER_WAY_MS = 100;

/** Whether it told of what the service has lost since: of a verdict, or that a reorg took one back. */
const isLost = ({ history }: Case, { at }: Message): boolean =>
  lossesOf(history).some(({ from, to }) => at >= from && at <= to + UNDER_WAY_MS);

/** What is wrong with a message alone; null when nothing is. */
function faultOf({ history, blocksOf }: Case, { receiver, at, headers, body }: Received): string | null {
  const known = history.receivers[receiver];
  if (!known) return 'its receiver is not registered';
  const id = headers['webhook-id'];
  const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(known.secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  if (!headers['webhook-signature']?.split(' ').includes(`v1,${signature}`)) return 'its signature is wrong';
  const { type, sequence, data } = JSON.parse(body) as Message;
  const statuses = STATUS[type];
  if (!statuses) return null;
  if (!Number.isInteger(sequence) || sequence < 1) return `its sequence is ${sequence}`;
  if (!statuses.includes(data.status)) return `${type} of one that is ${data.status}`;
  if ((data.status === 'failed') !== (data.error !== null)) return `${type} with the wrong error`;
  const hash = data.transaction?.hash;
  const isMined = hash === undefined || blocksOf(hash).some(({ from }) => from <= at);
  if (history.blocks.length === 0 || seesOtherFork(history, at)) return null;
  if (type === 'intent.confirmed' && !isMined) return 'its transaction was in no block';
  const isReorged = history.blocks.some(({ to }) => to !== null && to <= at);
  return type === 'intent.retracted' && !isReorged ? 'no reorg took anything back' : null;
}

/** What is wrong with the messages of one intent. @param own by their sequence */
function faultsOf({ wish }: Matter, own: readonly Message[]): string[] {
  const found: string[] = [];
  if (own.some(({ account }) => account !== wish.account)) found.push('another account got them');
  own.forEach((message, index) => {
    const before = own[index - 1];
    if (!before) return;
    const isRepeat = message.id === before.id;
    if (isRepeat !== (message.sequence === before.sequence)) {
      found.push(`sequence ${message.sequence} stands for two messages, or one message for two`);
    }
    const isNext = message.sequence === before.sequence + 1;
    if (isNext && !FOLLOWS[before.type]!.includes(message.type))
      found.push(`${message.type} follows ${before.type}`);
  });
  return found;
}

/**
 * What is taken back and told again the same, though its transaction was on the canonical chain all the time: one block
 * of it stood in the place of another at once. Who sees the chain by endpoints that show a part of it may not know.
 * @param own by their sequence
 */
function retractedInVain({ history, blocksOf }: Case, own: readonly Message[]): string[] {
  return own.flatMap((message, index) => {
    const [before, after] = [own[index - 1], own[index + 1]];
    if (message.type !== 'intent.retracted' || !before || !after) return [];
    if (saidBy(before) !== saidBy(after) || after.sequence !== before.sequence + 2) return [];
    const spans = blocksOf(before.data.transaction?.hash ?? '').filter(({ from }) => from <= message.at);
    const [first, ...others] = union(spans.map(({ from, to }) => ({ from, to: to ?? Infinity })));
    if (!first || first.to <= message.at || others.length > 0) return [];
    const since = Math.min(...spans.flatMap(({ to }) => to ?? message.at));
    const isUnsure = history.faults.some(
      ({ cuts, from, to }) => cuts.length > 0 && from <= message.at && to >= since,
    );
    return isUnsure ? [] : [`${message.type} of what was on the chain all the time`];
  });
}

const saidBy = ({ type, data: { transaction, tokenId } }: Message): string =>
  `${type} ${transaction?.hash} ${tokenId}`;

/** After a failure only a reorg deeper than final brings a success. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  'intent.confirmed': ['intent.retracted'],
  'intent.retracted': ['intent.confirmed', 'intent.failed'],
  'intent.failed': ['intent.confirmed'],
};

/** A receiver that fails is asked again after seconds, by a clock that a fault may have set. */
const ASKED_AGAIN_MS = 60_000;

function isPutOff(history: RunHistory, reports: readonly Report[]): boolean {
  const from = reports.find(isSettled)!.askedAt;
  return isExplained(history, { code: 'LATE_MESSAGE', from, to: from + ASKED_AGAIN_MS });
}

/** What is wrong with the message that counts. @param own by their sequence */
function lastWordOf({ history }: Case, matter: Matter, own: readonly Message[]): string | null {
  const { wish, reports, verdict } = matter;
  const isListening = Object.values(history.receivers).some(
    ({ account, environment }) => account === wish.account && environment === wish.environment,
  );
  if (!isListening) return null;
  const word = own.at(-1);
  if (verdict === 'cancelled') return word ? `${word.type} of one that was cancelled` : null;
  if (verdict !== 'confirmed' && verdict !== 'failed') return null;
  if (!word)
    return isForgotten(matter) || isPutOff(history, reports)
      ? null
      : `it is ${verdict}, and there was no message`;
  if (word.data.status !== verdict) return `the last message says ${word.data.status}, and it is ${verdict}`;
  const { hash, error } = reports.at(-1)!;
  if (word.data.error?.code !== error?.code)
    return `the last message says ${word.data.error?.code}, and it is ${error?.code}`;
  const isOther = hash !== undefined && (word.data.transaction?.hash ?? null) !== hash;
  return isOther ? `the last message names ${word.data.transaction?.hash}, and it is ${hash}` : null;
}
