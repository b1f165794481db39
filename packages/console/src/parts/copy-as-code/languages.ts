import { takesKey } from '../../api/call.ts';
import type { Call } from '../../api/call.ts';
import { credentialOf } from '../../api/credentials.ts';

/** What a program sends instead of what the console has: a variable, never the secret. */
export interface CodeContext {
  /** Where the service is. */
  serviceUrl: string;
  isSandbox: boolean;
}

/**
 * In the body of a call: what the program reads from a variable of its environment, since the console must not show it.
 */
export const fromEnvironment = (name: string): string => `\0${name}`;

/** The same in JSON, where no other text has a NUL in front. */
const VARIABLE = /"\\u0000([A-Z_]+)"/g;

type Secret = 'MINTMARK_API_KEY' | 'MINTMARK_SANDBOX_KEY' | 'MINTMARK_TOKEN' | 'MINTMARK_SESSION';

/** What takes the session alone, as the contract has it. */
const SESSION_ONLY = /^\/(v1\/(auth|api-keys|billing)|auth\/token|audit)(\/|$)/;
const TOKEN_ONLY = /^patch \/me$/;

function secretOf({ method, path }: Call, { isSandbox }: CodeContext): Secret | null {
  const credential = credentialOf(path, isSandbox);
  if (credential === 'none') return null;
  if (credential === 'sandboxKey') return 'MINTMARK_SANDBOX_KEY';
  if (TOKEN_ONLY.test(`${method} ${path}`)) return 'MINTMARK_TOKEN';
  return SESSION_ONLY.test(path) ? 'MINTMARK_SESSION' : 'MINTMARK_API_KEY';
}

function pathOf({ path, pathValues, query }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pathValues[name] ?? `{${name}}`),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
  return given.length === 0 ? filled : `${filled}?${search.toString()}`;
}

/** Characters that a client may choose, of any program that POSIX knows: `uuidgen` is not one of them. */
const SHELL_KEY = `$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')`;

/** JSON within single quotes of a shell; a variable stands outside of them, its quotes and backslashes escaped. */
const quoteShellJson = (json: string): string =>
  quoteShell(json).replace(
    VARIABLE,
    (_found, name: string) => `"'"$(printf %s "$${name}" | sed 's/["\\\\]/\\\\&/g')"'"`,
  );

/** Within single quotes of a shell. */
const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Left out where it is undefined, as JSON does; pretty for people. */
const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

export function toCurl(call: Call, context: CodeContext): string {
  const secret = secretOf(call, context);
  const credential =
    secret === 'MINTMARK_SESSION'
      ? [`--cookie "service_session=$MINTMARK_SESSION"`]
      : secret === null
        ? []
        : [`-H "Authorization: Bearer $${secret}"`];
  return [
    `curl ${quoteShell(context.serviceUrl + pathOf(call))}`,
    ...(call.method === 'get' || (call.method === 'post' && call.body !== undefined)
      ? []
      : [`-X ${call.method.toUpperCase()}`]),
    ...credential,
    ...(takesKey(call) ? [`-H "Idempotency-Key: ${SHELL_KEY}"`] : []),
    ...(call.body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoteShellJson(toJson(call.body))}`]),
  ].join(' \\\n  ');
}

const CLIENT_OPTION: Record<Secret, string> = {
  MINTMARK_API_KEY: 'apiKey',
  MINTMARK_SANDBOX_KEY: 'apiKey',
  MINTMARK_TOKEN: 'token',
  MINTMARK_SESSION: 'session',
};

/** As JavaScript writes it: names without quotes where they need none. */
const toLiteral = (value: unknown): string =>
  toJson(value)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(VARIABLE, (_found, name: string) => `process.env.${name} ?? ''`);

/** The package is not on npm: see docs/sdk.md. */
const CLIENT_SOURCE =
  'In the repository of the service: npm run packages && npm pack ./packages/client. Then here: npm install ARCHIVE';

export function toTypeScript(call: Call, context: CodeContext): string {
  const secret = secretOf(call, context);
  const options = [
    `  baseUrl: ${JSON.stringify(context.serviceUrl)},`,
    ...(secret === null ? [] : [`  ${CLIENT_OPTION[secret]}: process.env.${secret},`]),
  ];
  const isGiven = (values: object): boolean => Object.keys(values).length > 0;
  const params = {
    ...(isGiven(call.pathValues) ? { path: call.pathValues } : {}),
    ...(isGiven(call.query) ? { query: call.query } : {}),
  };
  const init = {
    ...(isGiven(params) ? { params } : {}),
    ...(call.body === undefined ? {} : { body: call.body }),
  };
  const argument = isGiven(init) ? `, ${toLiteral(init)}` : '';
  return `// ${CLIENT_SOURCE}
import { createClient } from '@mintmark/client';

const mintmark = createClient({
${options.join('\n')}
});

const { data } = await mintmark.${call.method.toUpperCase()}('${call.path}'${argument});
console.log(data);`;
}

/** JSON as Python writes it: only three words differ, and they stand outside of strings. */
const toPython = (value: unknown): string =>
  toJson(value).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (found) => PYTHON_WORDS[found] ?? found.replace(VARIABLE, 'os.environ["$1"]'),
  );

const PYTHON_WORDS: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** With nothing but Python's own library. */
export function toPythonCode(call: Call, context: CodeContext): string {
  const secret = secretOf(call, context);
  const isKeyed = takesKey(call);
  const hasBody = call.body !== undefined;
  const headers = [
    ...(secret === null
      ? []
      : secret === 'MINTMARK_SESSION'
        ? [`"Cookie": "service_session=" + os.environ["${secret}"],`]
        : [`"Authorization": "Bearer " + os.environ["${secret}"],`]),
    ...(isKeyed ? [`"Idempotency-Key": str(uuid.uuid4()),`] : []),
    ...(hasBody ? [`"Content-Type": "application/json",`] : []),
  ];
  const imports = [hasBody ? 'json' : '', secret === null ? '' : 'os', isKeyed ? 'uuid' : ''].filter(Boolean);
  return [
    ...imports.map((name) => `import ${name}`),
    'from urllib.error import HTTPError',
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(context.serviceUrl + pathOf(call))},`,
    `    method="${call.method.toUpperCase()}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers.map((line) => `        ${line}`), '    },'] : []),
    ...(hasBody ? [`    data=json.dumps(${indent(toPython(call.body), '    ')}).encode(),`] : []),
    ')',
    'try:',
    '    with urlopen(request, timeout=90) as response:',
    '        print(response.read().decode())',
    'except HTTPError as refused:',
    '    raise SystemExit(refused.read().decode())',
  ].join('\n');
}
