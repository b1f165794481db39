import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { documentFile } from '../../src/http/document.ts';

/** One answer that `openapi.yaml` declares. */
export interface Declared {
  operation: string;
  status: string;
  /** Name of the shared response; null for one that is declared at the operation. */
  response: string | null;
}

interface Route {
  operation: string;
  method: string;
  path: RegExp;
}

interface Contract {
  declared: Declared[];
  routes: Route[];
}

interface OperationObject {
  operationId: string;
  responses: Record<string, { $ref?: string }>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Reads the declared answers and routes of `openapi.yaml`, from the same as JSON: each suite would load a parser of
 * YAML.
 */
export function readDeclared(): Contract {
  const { paths } = JSON.parse(readFileSync(documentFile, 'utf8')) as {
    paths: Record<string, Record<string, OperationObject>>;
  };
  const operations = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ template, method, ...operation })),
  );
  return {
    declared: operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, { $ref }]) => ({
        operation: operationId,
        status,
        response: $ref?.split('/').at(-1) ?? null,
      })),
    ),
    routes: operations.map(({ operationId, method, template }) => ({
      operation: operationId,
      method: method.toUpperCase(),
      path: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  };
}

export const readContractText = (): string =>
  readFileSync(path.join(import.meta.dirname, '..', '..', 'openapi.yaml'), 'utf8');

/** The operation that a request reaches. The first match wins, as it does in the router. */
export function findOperation(routes: readonly Route[], method: string, url: string): string | null {
  const [pathname] = url.split('?');
  return routes.find((route) => route.method === method && route.path.test(pathname!))?.operation ?? null;
}

/** Names the folder in which every worker of a run writes down what it saw. */
const RECORD_VARIABLE = 'TEST_CONTRACT_RECORD';
const recordFile = (folder: string): string => path.join(folder, 'answers.txt');
const routesFile = (folder: string): string => path.join(folder, 'routes.json');

/** Prepares a record for the run, in this folder. */
export function prepareRecord(folder: string): void {
  const { routes } = readDeclared();
  writeFileSync(routesFile(folder), JSON.stringify(routes.map((route) => [route, route.path.source])));
  process.env[RECORD_VARIABLE] = folder;
}

function readRoutes(folder: string): Route[] {
  const routes = JSON.parse(readFileSync(routesFile(folder), 'utf8')) as [Omit<Route, 'path'>, string][];
  return routes.map(([route, source]) => ({ ...route, path: new RegExp(source) }));
}

/**
 * Records each answer that the server on this port gives to any client from now on, until the returned
 * function is called. Without a file to write to it does nothing.
 */
export function recordAnswers(port: number): () => void {
  const folder = process.env[RECORD_VARIABLE];
  if (!folder) return () => undefined;
  const routes = readRoutes(folder);
  const written = new Set<string>();
  const record = (message: unknown): void => {
    const { request, response, server } = message as {
      request: IncomingMessage & { originalUrl?: string };
      response: ServerResponse;
      server: Server;
    };
    if ((server.address() as AddressInfo | null)?.port !== port) return;
    const operation = findOperation(routes, request.method!, request.originalUrl ?? request.url!);
    const line = `${operation} ${response.statusCode}\n`;
    if (operation === null || written.has(line)) return;
    written.add(line);
    appendFileSync(recordFile(folder), line);
  };
  subscribe('http.server.response.finish', record);
  return () => unsubscribe('http.server.response.finish', record);
}

/** What the run has recorded so far, one `operation status` each. */
export function readRecord(): Set<string> {
  const folder = process.env[RECORD_VARIABLE];
  const file = folder && recordFile(folder);
  return new Set(file && existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
}

/** Answers that no test of the running service needs to bring about, and why. */
export interface Exception {
  /** Without it, of all operations that share the response. */
  operation?: string;
  /** Name of the shared response. */
  response: string;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    response: 'InternalError',
    reason: 'Only a mistake of ours brings it about; test/http/errors.test.ts makes one and shows its form.',
  },
  {
    response: 'TooManyRequests',
    reason:
      'One middleware counts for all operations; test/http/rate-limit.test.ts and test/security/login.test.ts.',
  },
  {
    response: 'StillBeingAccepted',
    reason:
      'The row of the account lets a second request wait for the first, so that it is answered with its intent.',
  },
];

/**
 * What is wrong with the tests: declared answers that none of them saw, and exceptions that nothing needs.
 * @returns one sentence each; none when all is well
 */
export function findGaps(
  { declared }: Contract,
  seen: ReadonlySet<string>,
  exceptions: readonly Exception[],
): string[] {
  const isExcept =
    ({ operation, response }: Declared) =>
    (exception: Exception) =>
      exception.response === response && (exception.operation ?? operation) === operation;
  const untested = declared.filter(
    (answer) => !seen.has(`${answer.operation} ${answer.status}`) && !exceptions.some(isExcept(answer)),
  );
  const idle = exceptions.filter((exception) => !declared.some((answer) => isExcept(answer)(exception)));
  return [
    ...untested.map(
      ({ operation, status }) => `No test makes the service answer ${operation} with ${status}.`,
    ),
    ...idle.map(
      ({ response, operation = 'any operation' }) =>
        `The exception ${response} of ${operation} is not needed.`,
    ),
  ];
}
