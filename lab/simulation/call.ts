import { readContract } from '../../src/http/document.ts';
import { toAppError } from '../../src/http/error-response.ts';
import type { OperationId } from '../../src/http/operation.ts';
import { readWrite } from '../../src/http/write.ts';
import type { Plan } from '../../src/lib/plans.ts';
import type { Composition } from '../../src/start/compose.ts';
import type { Answered } from '../judge/history.ts';
import type { ServiceProcess } from './service.ts';
import type { World } from './world.ts';

export interface Account {
  accountId: string;
  email: string;
  plan: Plan;
}

export type Environment = 'live' | 'sandbox';

/** What a client sends. */
export interface Asked {
  account: Account;
  environment: Environment;
  operation: OperationId;
  path?: Record<string, string>;
  body?: unknown;
  /** Of the header `Idempotency-Key`. */
  key?: string;
  respondAsync?: boolean;
}

/** No answer came, and none will: the connection was reset. */
export class ConnectionLost extends Error {}

const ADDRESS = '198.51.100.7';

/**
 * Sends a request to a process, past HTTP: to the handler of the operation, as a client whose credential and body have
 * passed.
 * @throws ConnectionLost when the process ends first
 */
export function callHandler(world: World, service: ServiceProcess, asked: Asked): Promise<Answered> {
  const { scheduler, network } = world;
  const { machine } = service;
  return new Promise((resolve, reject) => {
    const lose = (): void =>
      void scheduler.afterAs(null, network.latency(0.5, 10), () => reject(new ConnectionLost()));
    const { composition } = service;
    if (machine.isDead || !composition) return lose();
    world.onDeath(machine, lose);
    scheduler.afterAs(machine, network.latency(0.5, 10), () => {
      void run(composition, asked).then((answer) => {
        scheduler.afterAs(null, network.latency(0.5, 10), () => resolve(answer));
      });
    });
  });
}

async function run({ app }: Composition, asked: Asked): Promise<Answered> {
  const { account, environment, operation, path = {}, body, key, respondAsync } = asked;
  const contract = readContract();
  const described = contract.operations.find(({ id }) => id === operation)!;
  const origin = { credentialId: null, address: ADDRESS, userAgent: null };
  const headers = {
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(respondAsync && { prefer: 'respond-async' }),
  };
  const request = {
    path,
    query: {},
    body,
    principal: {
      ...account,
      environment,
      credentialId: account.accountId,
      sessionId: null,
      kind: 'api_key',
    },
    write: described.isWrite ? readWrite(described, { headers, params: path, body }, origin) : null,
    requestId: key ?? 'none',
    network: ADDRESS,
    origin,
    endTurn: () => undefined,
    cookieHash: null,
  };
  const handler = app.handlers[operation as keyof typeof app.handlers] as LooseHandler;
  try {
    const answer = await handler(request);
    return { status: answer.status, body: answer.body, intentId: answer.headers?.['Intent-Id'] ?? null };
  } catch (thrown) {
    const { status, code, message, intentId } = toAppError(thrown, contract.patternWords);
    return { status, body: { code, message }, intentId: intentId ?? null };
  }
}

/** A handler of any operation: what fits it is up to who plans the requests. */
type LooseHandler = (request: unknown) => Promise<{
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}>;
