import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCli } from '../stage/cli.ts';
import { mintBody } from '../load/load.ts';
import type { Target } from '../load/load.ts';
import { RECIPIENT } from '../stage/tokens.ts';
import type { Stage } from './stage.ts';

/** The promise: a minute after a fault the next mint is confirmed. */
const ALIVE_MS = 60_000;
const LOOK_MS = 250;
const REQUEST_MS = 30_000;

/** What the operator's command line offers where a person must decide, as a refusal or an explanation spells it. */
const COMMAND =
  /\b(recover --accept-(?:loss|reorg)|lanes heal 0x[\da-fA-F]{40}|signers bury 0x[\da-fA-F]{40}|intents (?:retry|resolve) [\da-f-]{36}|execution start)\b/;

/** The command that a text names; null when it names none. */
export const commandIn = (text: string): string[] | null => COMMAND.exec(text)?.[1]?.split(' ') ?? null;

/** The commands without their arguments, each once. */
export const namesOf = (commands: readonly string[]): string =>
  [...new Set(commands.map((command) => `"${command.split(' ').slice(0, 2).join(' ')}"`))].join(', ');

export interface Alive {
  /** Milliseconds of the slowest mint, with the command where one was needed. */
  slowestMs: number;
  /** Commands that a person had to run. */
  commands: string[];
  /** What did not go on. */
  flaws: string[];
}

/**
 * Mints once with each target: so with each lane that has contracts. What is not confirmed in time is explained by the
 * service; when that names a command, the command is run, once, and there is as much time again.
 */
export async function checkAlive(stage: Stage, timeoutMs = ALIVE_MS): Promise<Alive> {
  const began = performance.now();
  const alive: Alive = { slowestMs: 0, commands: [], flaws: [] };
  const mints = await Promise.all(stage.targets.map((target) => mintOnTime(stage, target, timeoutMs)));
  alive.flaws = mints.flatMap(({ flaw }) => flaw ?? []);
  for (const { intent, flaw, target } of mints) {
    if (flaw === null) continue;
    const command = await findCommand(stage, intent);
    if (!command) continue;
    alive.commands.push(command.join(' '));
    await createCli(stage.mintmark.environment).run(...command);
    const again = await mintOnTime(stage, target, timeoutMs);
    alive.flaws = again.flaw === null ? [] : [`${again.flaw}, after "${command.join(' ')}"`];
    break;
  }
  alive.slowestMs = performance.now() - began;
  return alive;
}

interface TimedMint {
  target: Target;
  intent: string | null;
  flaw: string | null;
}

/** One mint as a careful client makes it: repeated under its key until it is accepted, then followed. */
async function mintOnTime({ log }: Stage, target: Target, timeoutMs: number): Promise<TimedMint> {
  const { api } = target.account;
  const end = performance.now() + timeoutMs;
  const header = { Prefer: 'respond-async', 'Idempotency-Key': randomUUID() };
  const params = { path: { address: target.address }, header };
  const body = mintBody(target, RECIPIENT);
  let [intent, state]: [string | null, string] = [null, 'no answer'];
  for (; performance.now() < end; await sleep(LOOK_MS)) {
    const signal = AbortSignal.timeout(REQUEST_MS);
    if (intent === null) {
      const answer = await api
        .POST('/tokens/{address}/mint', { params, body, signal })
        .catch((error: unknown) => ({ response: null, error }));
      intent = answer.response?.ok ? answer.response.headers.get('Intent-Id') : null;
      if (intent !== null) log.acknowledged.add(intent);
      else
        state = `answered ${answer.response?.status ?? 'nothing'}: ${JSON.stringify(answer.error ?? null)}`;
      continue;
    }
    const seen = await api
      .GET('/intents/{id}', { params: { path: { id: intent } }, signal })
      .catch(() => ({ data: undefined }));
    state = seen.data ? `${seen.data.status}${seen.data.error ? `: ${seen.data.error.message}` : ''}` : state;
    if (seen.data?.status === 'confirmed') return { target, intent, flaw: null };
    if (seen.data?.status === 'failed') break;
  }
  const seconds = Math.round(timeoutMs / 1_000);
  return { target, intent, flaw: `dead end: the next mint is not confirmed in ${seconds} s: ${state}` };
}

/** Asks the service what is wrong with an intent, and which command it names. */
async function findCommand({ mintmark }: Stage, intent: string | null): Promise<string[] | null> {
  if (intent === null) return null;
  const { stdout, stderr } = await createCli(mintmark.environment).run('intents', 'show', intent);
  return commandIn(`${stdout} ${stderr}`);
}

/**
 * Stops the service and starts it again; a start that is refused names the command that allows it, which is run.
 * @returns the command that was needed. @throws Error when the refusal names none, or does not go away
 */
export async function restartWithCommand(
  { mintmark }: Stage,
  variables: Record<string, string> = {},
): Promise<string | null> {
  try {
    await mintmark.restart(variables);
    return null;
  } catch (error) {
    const command = commandIn(String(error));
    if (!command) throw error;
    await createCli({ ...mintmark.environment, ...variables }).run(...command);
    await mintmark.restart(variables);
    return command.join(' ');
  }
}
