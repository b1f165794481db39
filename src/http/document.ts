import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import type { security } from '../../generated/api.ts';
import { readDeprecation } from './deprecation.ts';
import type { Deprecated } from './deprecation.ts';
import type { OperationId } from './operation.ts';
import { MAX_BODY_BYTES } from './read-body.ts';

/** A document of OpenAPI, as the validator takes it. */
export type ApiDocument = OpenAPIV3.DocumentV3;

/** A name under `components.securitySchemes`. */
export type SecurityScheme = security[OperationId];

/** One operation of the contract, with all that mounting it needs. */
export interface Operation {
  id: OperationId;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As Express spells it: `/tokens/:address`. */
  path: string;
  accepts: readonly SecurityScheme[];
  hasBody: boolean;
  /** Without one a request is refused. */
  needsBody: boolean;
  /** Bytes that a body may have at most. */
  maxBodyBytes: number;
  /** Paths to the addresses in a body: `['items', '*', 'to']` for the `to` of each item. */
  addressPlaces: readonly (readonly string[])[];
  /** Names of the query parameters that are integers. */
  integerQueries: readonly string[];
  /** Media type of a success with a body. */
  mediaType: string;
  /** Takes an `Idempotency-Key`. */
  isWrite: boolean;
  /** Requests are counted, as an answer 429 in the contract says. */
  isLimited: boolean;
  /** Points that a request counts; with `perItem` those of each item of its body. */
  points: number;
  perItem: boolean;
  /** Costs so much that an account makes one such request at a time. */
  isDear: boolean;
  /** Header `Deprecation`; null for an operation that stays. */
  deprecation: string | null;
  /** The contract with this operation as its only one. */
  document: ApiDocument;
}

export interface Contract {
  /** `openapi.yaml` as it is in the repository. */
  text: string;
  operations: Operation[];
  /** What a value must be, in words, by the pattern that it must match. */
  patternWords: ReadonlyMap<string, string>;
}

type Json = Record<string, unknown>;
interface Parameter {
  $ref?: string;
  name?: string;
  in?: string;
  schema?: { type?: unknown };
}
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
}
interface OperationObject extends Deprecated {
  operationId: OperationId;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> };
  'x-max-body-bytes'?: number;
  /** What a request costs, where it is not what its method costs. */
  'x-cost'?: number | { perItem: number };
  responses: Record<string, { content?: Json }>;
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const root = join(import.meta.dirname, '..', '..');
const contractFile = join(root, 'openapi.yaml');
/** The same as JSON, by `npm run generate`: parsing YAML would take a quarter of a second of each start. */
export const documentFile = join(root, 'generated', 'openapi.json');

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Calls `visit` on every object of the document, outermost first. */
function visitObjects(value: unknown, visit: (object: Json) => void): void {
  if (Array.isArray(value)) for (const item of value) visitObjects(item, visit);
  if (!isObject(value)) return;
  visit(value);
  for (const item of Object.values(value)) visitObjects(item, visit);
}

function collectPatternWords(document: ApiDocument): Map<string, string> {
  const words = new Map<string, string>();
  visitObjects(document, ({ pattern, 'x-must-be': mustBe }) => {
    if (typeof pattern === 'string' && typeof mustBe === 'string') words.set(pattern, mustBe);
  });
  return words;
}

/** Points of operations that the contract says nothing else of. */
const READ_POINTS = 1;
const WRITE_POINTS = 2;

/** `x-cost` declares what is dear; a new operation that declares nothing costs what others of its kind do. */
function costOf(method: Operation['method'], { 'x-cost': cost }: OperationObject) {
  const isDear = cost !== undefined;
  if (typeof cost === 'object') return { points: cost.perItem, perItem: true, isDear };
  return { points: cost ?? (method === 'get' ? READ_POINTS : WRITE_POINTS), perItem: false, isDear };
}

function mediaTypeOf({ responses }: OperationObject): string {
  return Object.keys(responses['200']?.content ?? {})[0] ?? 'application/json';
}

function integerQueriesOf(parameters: readonly Parameter[], components: Json): string[] {
  const shared = components['parameters'] as Record<string, Parameter>;
  return parameters
    .map((given) => shared[given.$ref?.split('/').at(-1) ?? ''] ?? given)
    .flatMap(({ name, in: place, schema }) =>
      name !== undefined && place === 'query' && schema?.type === 'integer' ? [name] : [],
    );
}

function addressPlacesOf(schema: Schema, components: Json): string[][] {
  const name = schema.$ref?.split('/').at(-1);
  if (name === 'Address') return [[]];
  const {
    properties = {},
    items,
    oneOf = [],
  } = name === undefined ? schema : (components['schemas'] as Record<string, Schema>)[name]!;
  const under = (key: string, inner: Schema): string[][] =>
    addressPlacesOf(inner, components).map((place) => [key, ...place]);
  return [
    ...Object.entries(properties).flatMap(([key, inner]) => under(key, inner)),
    ...(items ? under('*', items) : []),
    ...oneOf.flatMap((inner) => addressPlacesOf(inner, components)),
  ];
}

/** Where `openapi.yaml` has the service: its server, its reference, its contact. */
const WRITTEN_URL = 'http://127.0.0.1:3000';

/** The contract, as YAML or as JSON, with the public URL in place of the written one. */
export function withPublicUrl(text: string, publicUrl: string): string {
  return text.replaceAll(WRITTEN_URL, publicUrl.replace(/\/$/, ''));
}

/** The components that a part of the document refers to, directly or through others. */
function referredComponents(part: unknown, components: Json): Json {
  const found: Record<string, Json> = {};
  const collect = (object: Json): void => {
    const [, , group, name] = typeof object['$ref'] === 'string' ? object['$ref'].split('/') : [];
    if (group === undefined || name === undefined || found[group]?.[name] !== undefined) return;
    const component = (components[group] as Json)[name];
    (found[group] ??= {})[name] = component;
    visitObjects(component, collect);
  };
  visitObjects(part, collect);
  return found;
}

let contract: Contract | undefined;

/**
 * Reads `openapi.yaml`, the one source of routes, validation and documentation.
 * Each operation gets a document of its own, since the validator walks all paths of its document at each request.
 */
export const readContract = (): Contract => (contract ??= parseContract());

function parseContract(): Contract {
  const text = readFileSync(contractFile, 'utf8');
  const whole = JSON.parse(readFileSync(documentFile, 'utf8')) as ApiDocument & { components: Json };

  const operations = Object.entries(whole.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): Operation[] => {
      const operation = item[method] as OperationObject | undefined;
      if (operation === undefined) return [];
      const named = operation.parameters ?? [];
      const paths = { [path]: { parameters: item.parameters ?? [], [method]: operation } };
      return [
        {
          id: operation.operationId,
          method,
          path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          accepts: (operation.security ?? []).flatMap((each) => Object.keys(each) as SecurityScheme[]),
          hasBody: operation.requestBody !== undefined,
          needsBody: operation.requestBody?.required ?? false,
          maxBodyBytes: operation['x-max-body-bytes'] ?? MAX_BODY_BYTES,
          addressPlaces: addressPlacesOf(
            operation.requestBody?.content?.['application/json']?.schema ?? {},
            whole.components,
          ),
          integerQueries: integerQueriesOf(named, whole.components),
          mediaType: mediaTypeOf(operation),
          isWrite: named.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
          isLimited: operation.responses['429'] !== undefined,
          ...costOf(method, operation),
          deprecation: readDeprecation(operation),
          document: {
            openapi: whole.openapi,
            info: whole.info,
            paths,
            components: referredComponents(paths, whole.components),
          },
        },
      ];
    }),
  );
  return { text, operations, patternWords: collectPatternWords(whole) };
}
