import type { components } from '../../../../generated/api.ts';
import { SERVICE_URL } from './addresses.ts';
import { api, setKeyring } from './client.ts';
import { readProblem, toProblem, unreachable } from './problem.ts';
import type { ApiProblem } from './problem.ts';
import { noteSilence } from './reachability.ts';
import { sandbox, switchSandbox } from './sandbox.ts';
import { createStore } from './store.ts';
import { forgetTokens, tokenOf } from './tokens.ts';

export type Profile = components['schemas']['Profile'];

/**
 * `ended` is whose session it was that ended without this page's doing: what was typed is kept for that account alone.
 */
export type Session =
  | { phase: 'checking' }
  | { phase: 'unknown'; problem: ApiProblem }
  | { phase: 'out'; ended: Profile | null }
  | { phase: 'in'; profile: Profile };

export const session = createStore<Session>({ phase: 'checking' });

type Message = 'signed-in' | 'signed-out';
/** Other tabs of the console share the cookie, and so have to know when it changes. */
const tabs = new BroadcastChannel('mintmark-console');

/** Called whenever another account, or none, is behind the page: what is cached belongs to the one before. */
let forget: () => void = () => undefined;

function notifyTabs(message: Message): void {
  tabs.postMessage(message);
}

/** Asks whose session the cookie is. Goes around the client, whose requests end here when they are refused. */
export async function checkSession(): Promise<void> {
  const before = session.get();
  try {
    const response = await fetch(`${SERVICE_URL}/v1/auth/me`);
    if (response.ok) return enter((await response.json()) as Profile);
    if (response.status === 401) return end();
    throw await readProblem(response);
  } catch (error) {
    const problem = error instanceof TypeError ? unreachable() : toProblem(error)!;
    if (problem.code === 'UNREACHABLE') noteSilence();
    // Who is signed in stays so while the service is away.
    if (before.phase !== 'in') session.set({ phase: 'unknown', problem });
  }
}

/** Who is signed in, or whose session has just ended. */
function ownerOf(current: Session): Profile | null {
  if (current.phase === 'in') return current.profile;
  return current.phase === 'out' ? current.ended : null;
}

function enter(profile: Profile): void {
  const owner = ownerOf(session.get());
  if (owner && owner.id !== profile.id) leave();
  session.set({ phase: 'in', profile });
}

/** What belongs to the account before. */
function leave(): void {
  forgetTokens();
  switchSandbox(false);
  forget();
}

/** The session is over, and its owner may come back to what is on the page. */
function end(): void {
  forgetTokens();
  session.set({ phase: 'out', ended: ownerOf(session.get()) });
}

export async function signIn(body: components['schemas']['Credentials']): Promise<void> {
  const { data } = await api.POST('/v1/auth/login', { body });
  enter(data!);
  notifyTabs('signed-in');
}

export async function register(body: components['schemas']['RegisterAccountRequest']): Promise<void> {
  const { data } = await api.POST('/v1/auth/register', { body });
  enter(data!);
  notifyTabs('signed-in');
}

/** Ends the session, and with it the tokens that were made of it. */
export async function signOut(): Promise<void> {
  await api.POST('/v1/auth/logout');
  leave();
  session.set({ phase: 'out', ended: null });
  notifyTabs('signed-out');
}

/** After a change of the profile, so that the shell shows it. */
export function profileChanged(profile: Profile): void {
  session.set({ phase: 'in', profile });
}

/** @param forgetAll empties what is cached */
export function startSession(forgetAll: () => void): void {
  forget = forgetAll;
  setKeyring({
    token: tokenOf,
    isSandbox: () => sandbox.get() !== null,
    refused: () => void checkSession(),
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data === 'signed-in') void checkSession();
    else if (session.get().phase === 'in') end();
  });
  void checkSession();
}
