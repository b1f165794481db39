import { readFileSync } from 'node:fs';
import { documentFile } from '../../src/http/document.ts';

interface Example {
  value: unknown;
}
interface Content {
  content?: Record<string, { examples: Record<string, Example> }>;
}

/** One operation of `openapi.yaml`, with all references resolved except those to schemas. */
export interface Documented {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  method: string;
  path: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; description: string; required: boolean; example: unknown }[];
  requestBody?: Content;
  responses: Record<string, Content & { headers?: Record<string, unknown> }>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Names and values of all examples. */
export const examplesOf = ({ content }: Content): { name: string; value: unknown }[] =>
  Object.values(content ?? {}).flatMap(({ examples }) =>
    Object.entries(examples).map(([name, { value }]) => ({ name, value })),
  );

/** Names of the security schemes that an operation accepts; none when it is public. */
export const schemesOf = ({ security }: Documented): string[] =>
  security.flatMap((scheme) => Object.keys(scheme));

/** Every operation, in the order of the document. */
export function readDocumented(): Documented[] {
  const document = JSON.parse(readFileSync(documentFile, 'utf8')) as Record<string, unknown>;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) {
      const names = (value.$ref as string).slice(2).split('/');
      return resolve(names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === 'schema' ? item : resolve(item)]),
    );
  };
  const paths = resolve(document['paths']) as Record<string, Record<string, Documented>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const shared = (item as { parameters?: Documented['parameters'] }).parameters ?? [];
      return [{ ...operation, method, path, parameters: [...shared, ...(operation.parameters ?? [])] }];
    }),
  );
}
