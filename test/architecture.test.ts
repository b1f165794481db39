import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROMISES } from './promises.ts';

const CHAIN = [
  'abi',
  'address',
  'chain',
  'fees',
  'follower',
  'l1-costs',
  'profile',
  'profile-fields',
  'rpc',
  'signing',
  'system',
  'token-standards',
].map((room) => `chain/${room}`);

/**
 * What may import what. An area is a folder of `src`, or a file that lies there by itself; in `engine` and `chain` each
 * room is an area too. Imports point down only, and areas that are not in each other's row know nothing of each other.
 * `engine` is its entrance, `engine/index.ts`: the only file of it that others may import.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ['config', 'start', 'telemetry'],
  admin: [...CHAIN, 'config', 'db', 'embedded', 'engine', 'errors', 'features', 'start', 'telemetry'],
  start: [...CHAIN, 'config', 'db', 'embedded', 'engine', 'errors', 'features', 'http', 'telemetry'],
  features: [...CHAIN, 'db', 'engine', 'errors', 'http', 'telemetry'],
  http: ['errors', 'telemetry'],

  engine: [
    ...CHAIN,
    'db',
    'telemetry',
    ...inEngine(
      'accept',
      'explain',
      'lane',
      'recover',
      'run',
      'send',
      'settle',
      'states',
      'store',
      'verdict',
    ),
  ],
  'engine/run': [
    ...CHAIN,
    'db',
    'telemetry',
    ...inEngine('lane', 'recover', 'send', 'settle', 'store', 'verdict'),
  ],
  'engine/accept': [...CHAIN, 'db', 'errors', 'telemetry', ...inEngine('send', 'store', 'verdict')],
  'engine/explain': [...CHAIN, 'db', ...inEngine('send', 'store')],
  'engine/send': [...CHAIN, 'db', ...inEngine('lane', 'store', 'verdict'), 'engine/retry-policy'],
  'engine/recover': [...CHAIN, 'db', 'telemetry', ...inEngine('settle', 'store', 'verdict')],
  'engine/settle': [...CHAIN, 'db', 'telemetry', ...inEngine('store', 'verdict')],
  'engine/verdict': [...CHAIN, 'db', 'telemetry', ...inEngine('lane', 'store'), 'engine/retry-policy'],
  'engine/lane': [...CHAIN, 'db', 'telemetry', ...inEngine('store')],
  'engine/store': ['db', 'errors', ...inEngine('intent', 'retry-policy', 'states')],
  'engine/config': ['chain/profile', 'lib', 'telemetry'],
  'engine/ports': ['db', 'errors', 'engine/intent'],
  'engine/intent': ['errors'],
  'engine/retry-policy': [],
  'engine/states': ['engine/intent'],

  'chain/chain': ['chain/profile', 'chain/rpc', 'chain/system'],
  'chain/system': [
    'telemetry',
    'chain/abi',
    'chain/fees',
    'chain/profile',
    'chain/rpc',
    'chain/signing',
    'chain/token-standards',
  ],
  'chain/fees': ['chain/profile', 'chain/rpc', 'chain/signing'],
  'chain/l1-costs': ['chain/profile', 'chain/rpc'],
  'chain/profile-fields': ['chain/profile'],
  'chain/rpc': ['telemetry', 'chain/abi'],
  'chain/follower': ['chain/abi', 'chain/profile', 'chain/rpc'],
  'chain/profile': [],
  'chain/signing': [],
  'chain/token-standards': ['errors', 'chain/abi'],
  'chain/abi': ['errors'],
  'chain/address': ['errors'],

  db: ['errors', 'telemetry'],
  embedded: ['errors', 'telemetry'],
  config: [],
  telemetry: [],
  errors: [],
};

/** Rooms of the engine, and what all of them may know of it. */
function inEngine(...rooms: string[]): string[] {
  return [...rooms, 'config', 'intent', 'ports'].map((room) => `engine/${room}`);
}

interface Source {
  /** From the root of the repository. */
  file: string;
  text: string;
}

interface Import {
  from: string;
  /** From the root of the repository, or the name of a package. */
  to: string;
}

const IMPORT =
  /^[ \t]*(import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Every import of a file, also those that re-export, that are dynamic, or that only run the other file. */
function findImports({ file, text }: Source): Import[] {
  return [...text.matchAll(IMPORT)].map(([, , , name, dynamic]) => {
    const to = (name ?? dynamic)!;
    return {
      from: file,
      to: to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to,
    };
  });
}

const HAS_ROOMS = new Set(['engine', 'chain']);

/** `engine/store` for a file of a room, `engine` for the entrance of the engine. */
function areaOf(file: string): string {
  const [, area, room] = file.replace(/(\/index)?\.ts$/, '').split('/');
  return room !== undefined && HAS_ROOMS.has(area!) ? `${area}/${room}` : area!;
}

const featureOf = (file: string): string | undefined => /^src\/features\/([^/]+)\//.exec(file)?.[1];

/** Beside the features, in none of them. */
const isLoose = (file: string): boolean => /^src\/features\/[^/]+$/.test(file);

/** Why an import is wrong; undefined when it is right. */
function findFault({ from, to }: Import): string | undefined {
  const [source, target] = [areaOf(from), areaOf(to)];
  if (to === 'generated/api.ts') {
    return source === 'http' || from.endsWith('/handlers.ts')
      ? undefined
      : 'only http/ and handlers.ts read generated/api.ts';
  }
  if (to === 'generated/contracts.ts') {
    return source.startsWith('chain/') ? undefined : 'only chain/ reads generated/contracts.ts';
  }
  if (to === 'generated/tables.ts') {
    return source === 'db' ? undefined : 'only db/ reads generated/tables.ts';
  }
  if (!to.startsWith('src/')) return 'src/ imports nothing outside of it but generated/';
  if (featureOf(from) && featureOf(to) && featureOf(from) !== featureOf(to)) {
    return 'features do not import each other: start/compose.ts hands over the one function needed';
  }
  // Pure functions that import nothing may be imported from everywhere.
  if (target === 'lib') return source === 'lib' ? 'files of lib/ import nothing' : undefined;
  if (source === target) return undefined;
  if (target.startsWith('engine/') && !source.startsWith('engine'))
    return 'engine/index.ts is the only entrance';
  const row = MAY_IMPORT[source];
  if (!row) return `${source} has no row in the table of this test: say what it may import`;
  return row.includes(target) ? undefined : `${source} may import ${row.join(', ') || 'nothing'}`;
}

function checkImports(sources: readonly Source[]): string[] {
  return sources
    .flatMap(findImports)
    .filter(({ to }) => /^(src|generated|packages|scripts|lab|test|contracts)\//.test(to))
    .flatMap((found) => {
      const fault = findFault(found);
      return fault === undefined ? [] : [`${found.from} imports ${found.to}: ${fault}`];
    });
}

/**
 * Beside the features lie files of two sorts: what features share, which knows none of them, and what puts features
 * together, which none of them knows. A file that were both would let one feature import another through it.
 */
function checkLoose(sources: readonly Source[]): string[] {
  const imports = sources.flatMap(findImports);
  const gathering = new Set(
    imports.flatMap(({ from, to }) => (isLoose(from) && featureOf(to) ? [from] : [])),
  );
  // What imports such a file puts features together, too. A set goes on to what is added on the way.
  for (const file of gathering)
    for (const { from, to } of imports) if (to === file && isLoose(from)) gathering.add(from);
  return imports
    .filter(({ from, to }) => featureOf(from) && gathering.has(to))
    .map(
      ({ from, to }) =>
        `${from} imports ${to}, which imports features: start/compose.ts hands over what it needs`,
    );
}

/** Import cycles; one of types alone counts too, since no file of it can be read first. */
function findRings(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.file, findImports(source).map(({ to }) => to)]));
  const rings: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) {
      rings.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return rings;
}

const checkText = ({ file, text }: Source): string[] => [
  ...(/\bprocess\.env\b/.test(text) && file !== 'src/config.ts'
    ? [`${file} uses process.env: src/config.ts is its only reader`]
    : []),
  ...(/^\s*export\s+(default\b|\{[^}]*\bas\s+default\b)/m.test(text)
    ? [`${file} has a default export: give it a name`]
    : []),
  ...(/^src\/(chain|engine)\//.test(file) && /\bDate\.now\b/.test(text)
    ? [`${file} reads the wall clock, which may be set: take performance.now()`]
    : []),
];

const MAX_LINES = 400;

function checkLength({ file, text }: Source): string[] {
  const { length } = text.trimEnd().split('\n');
  return length > MAX_LINES ? [`${file} has ${length} lines: divide it by subject`] : [];
}

const checkSql = ({ file, text }: Source): string[] =>
  /^src\/engine\/(?!store\/)/.test(file) &&
  /^import \{[^}]*\b(query|hasRows)\b[^}]*\} from '[^']*db\/client\.ts'/m.test(text)
    ? [`${file} sends SQL: all SQL of the engine is in engine/store/`]
    : [];

/** Statements that let an intent be queued: acceptance, and the one that also notes that its contract waits again. */
const MAY_QUEUE = new Set(['src/engine/store/intents.ts', 'src/engine/store/requeue.ts']);

const QUEUES = /(\bset\s|,)\s*status = ('queued'|:)|\b(then|else) 'queued'|\binsert into intents\b/i;

const checkQueueing = ({ file, text }: Source): string[] =>
  QUEUES.test(text) && !MAY_QUEUE.has(file)
    ? [
        `${file} sets an intent to queued: requeueIntents notes that its contract waits, else no lane looks at it`,
      ]
    : [];

const checkName = ({ file }: Source): string[] => [
  ...file
    .split('/')
    .filter((part) => /^(utils?|helpers?|common|shared|misc|managers?)(\.ts)?$/.test(part))
    .map((part) => `${file}: "${part}" says nothing; name it by what it does`),
  ...(/^src(\/[a-z0-9]+(-[a-z0-9]+)*)+\.ts$/.test(file) ? [] : [`${file} is not in kebab-case`]),
];

const readBelow = (folder: string): Source[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

describe('the layout of src', () => {
  const sources = readBelow('src');

  test('every file under src is checked', () => {
    expect(sources.length).toBeGreaterThan(50);
    const files = new Set(sources.map(({ file }) => file));
    const missing = sources
      .flatMap(findImports)
      .filter(({ to }) => to.startsWith('src/') && !files.has(to))
      .map(({ from, to }) => `${from} imports ${to}, which this test has not read`);
    expect(missing).toEqual([]);
    expect(sources.flatMap(findImports).length).toBeGreaterThan(200);
  });

  test('imports point down only', () => {
    expect(checkImports(sources)).toEqual([]);
  });

  test('what features share imports no feature', () => {
    expect(checkLoose(sources)).toEqual([]);
    const loose = sources.filter(({ file }) => isLoose(file)).flatMap(findImports);
    expect(loose.some(({ to }) => featureOf(to))).toBe(true);
  });

  test('no import cycles', () => {
    expect(findRings(sources)).toEqual([]);
  });

  test('only config.ts reads the environment, no default exports, no wall clock in chain and engine', () => {
    expect(sources.flatMap(checkText)).toEqual([]);
  });

  test('all SQL of the engine is in its store', () => {
    expect(sources.flatMap(checkSql)).toEqual([]);
  });

  test('an intent goes back into the queue by one statement, which notes that its contract waits', () => {
    expect(sources.flatMap(checkQueueing)).toEqual([]);
    const queueing = sources.filter(({ file }) => MAY_QUEUE.has(file));
    expect(queueing.flatMap(({ text }) => checkQueueing({ file: 'src/a.ts', text }))).toHaveLength(2);
  });

  test('no file has too many lines', () => {
    expect(sources.flatMap(checkLength)).toEqual([]);
  });

  test('files and folders are in kebab-case and named by what they do', () => {
    expect(sources.flatMap(checkName)).toEqual([]);
  });

  test('the layers of the table are consistent', () => {
    const below = (area: string, trail: string[] = []): string[] => {
      if (trail.includes(area)) throw new Error(`the table goes in a ring: ${[...trail, area].join(' -> ')}`);
      return (MAY_IMPORT[area] ?? []).flatMap((next) => [next, ...below(next, [...trail, area])]);
    };
    for (const area of Object.keys(MAY_IMPORT)) expect(below(area)).not.toContain(area);
  });
});

test('the suites of the promise import nothing of the engine, and all of that kind are listed', () => {
  const suites = ['engine', 'faults', 'judge', 'simulation']
    .flatMap((folder) => readBelow(`test/${folder}`))
    .filter(({ file }) => file.endsWith('.test.ts'));
  const ofPromise = suites.filter((suite) =>
    findImports(suite).every(({ to }) => !to.startsWith('src/engine/')),
  );
  const names = ofPromise.map(({ file }) => file.replace(/^test\/(.*)\.test\.ts$/, '$1'));
  expect(names.toSorted()).toEqual(PROMISES);
});

describe('the layout of lab', () => {
  const sources = readBelow('lab');

  test('it imports what it shows, and nothing of the tests and scripts above it', () => {
    expect(sources.length).toBeGreaterThan(10);
    const above = sources.flatMap(findImports).filter(({ to }) => /^(test|scripts|packages)\//.test(to));
    expect(above.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test('scripts import nothing of the tests', () => {
    const above = readBelow('scripts')
      .flatMap(findImports)
      .filter(({ to }) => to.startsWith('test/'));
    expect(above.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test('the judge has not read the service: it knows the contract of the API and the ABI', () => {
    const judge = sources.filter(({ file }) => file.startsWith('lab/judge/'));
    expect(judge.length).toBeGreaterThan(5);
    const known = judge.flatMap(findImports).filter(({ to }) => /^(src|lab)\//.test(to));
    expect(known.map(({ to }) => to).filter((to) => !to.startsWith('lab/judge/'))).toEqual([]);
  });

  test('no file has too many lines', () => {
    expect(sources.flatMap(checkLength)).toEqual([]);
  });
});

describe('the checker', () => {
  const faults = (file: string, text: string): string[] => checkImports([{ file, text }]);

  test.each([
    ['src/http/a.ts', `import { x } from '../features/tokens/service.ts';`],
    ['src/http/a.ts', `import type { X } from '../engine/index.ts';`],
    ['src/http/a.ts', `import { query } from '../db/client.ts';`],
    ['src/engine/send/a.ts', `import { x } from '../../http/routes.ts';`],
    ['src/engine/index.ts', `import {\n  x,\n  y,\n} from '../features/metering/service.ts';`],
    ['src/engine/store/a.ts', `import { x } from '../lane/lane.ts';`],
    ['src/engine/lane/a.ts', `import type { X } from '../verdict/verdict.ts';`],
    ['src/engine/settle/a.ts', `import { x } from '../send/bid.ts';`],
    ['src/engine/settle/a.ts', `import { x } from '../send/already-done.ts';`],
    ['src/engine/send/a.ts', `import type { X } from '../index.ts';`],
    ['src/engine/novelty/a.ts', `import { x } from '../lane/lane.ts';`],
    ['src/chain/rpc/a.ts', `import { query } from '../../db/client.ts';`],
    ['src/chain/abi/a.ts', `import type { Rpc } from '../rpc/rpc.ts';`],
    ['src/db/a.ts', `import type { Rpc } from '../chain/rpc/rpc.ts';`],
    ['src/features/tokens/a.ts', `import { x } from '../accounts/service.ts';`],
    ['src/features/tokens/a.ts', `export { x } from '../accounts/service.ts';`],
    ['src/features/tokens/a.ts', `export * from '../accounts/service.ts';`],
    ['src/features/tokens/a.ts', `import { x } from '../../engine/store/intents.ts';`],
    ['src/features/tokens/a.ts', `const x = await import('../../engine/lane.ts');`],
    ['src/features/tokens/a.ts', `import '../../start/compose.ts';`],
    ['src/features/tokens/service.ts', `import type { paths } from '../../../generated/api.ts';`],
    ['src/features/tokens/handlers.ts', `import { x } from '../../../generated/contracts.ts';`],
    ['src/features/tokens/store.ts', `import type { Tables } from '../../../generated/tables.ts';`],
    ['src/start/compose.ts', `import { createStore } from '../engine/store/intents.ts';`],
    ['src/errors.ts', `import { createLogger } from './logger.ts';`],
    ['src/lib/a.ts', `import { b } from './b.ts';`],
    ['src/features/tokens/a.ts', `import { readConfig } from '../../config.ts';`],
    ['src/db/a.ts', `import { x } from '../../scripts/generate-api.ts';`],
    ['src/chain/system/a.ts', `import { x } from '../../../packages/contracts/src/index.ts';`],
    ['src/novelty.ts', `import { x } from './errors.ts';`],
  ])('finds a fault in %s: %s', (file, text) => {
    expect(faults(file, text)).toEqual([expect.stringContaining(`${file} imports `)]);
  });

  test.each([
    ['src/features/tokens/handlers.ts', `import type { paths } from '../../../generated/api.ts';`],
    ['src/features/tokens/service.ts', `import type { Engine } from '../../engine/index.ts';`],
    ['src/features/tokens/service.ts', `import { findToken } from './store.ts';`],
    [
      'src/engine/lane/lane.ts',
      `import type { Rpc } from '../../chain/rpc/rpc.ts';\nimport { x } from './market.ts';`,
    ],
    ['src/chain/abi/operator.ts', `import { operatorAbi } from '../../../generated/contracts.ts';`],
    ['src/engine/send/a.ts', `import { applyVerdicts } from '../verdict/verdict.ts';`],
    ['src/features/tokens/service.ts', `import { readToken } from '../../chain/abi/token.ts';`],
    ['src/chain/abi/operator.ts', `import { AbiCoder } from 'ethers';`],
    ['src/http/a.ts', `const text = "do not import { x } from '../engine/index.ts'";`],
  ])('finds none in %s: %s', (file, text) => {
    expect(faults(file, text)).toEqual([]);
  });

  test('finds a feature that reaches another one through a file beside them', () => {
    const shared = { file: 'src/features/shared-words.ts', text: `import { x } from '../engine/index.ts';` };
    const gathering = { file: 'src/features/all.ts', text: `import { x } from './tokens/service.ts';` };
    const above = { file: 'src/features/above.ts', text: `export type { X } from './all.ts';` };
    const feature = (name: string) => ({
      file: 'src/features/webhooks/a.ts',
      text: `import type { X } from '../${name}.ts';`,
    });
    expect(checkLoose([shared, gathering, above, feature('shared-words')])).toEqual([]);
    expect(checkLoose([shared, gathering, above, feature('all')])).toHaveLength(1);
    expect(checkLoose([shared, gathering, above, feature('above')])).toHaveLength(1);
    expect(checkLoose([above, feature('above')])).toEqual([]);
  });

  test('finds import cycles, also of types', () => {
    const a = { file: 'src/db/a.ts', text: `import { b } from './b.ts';` };
    const typed = { file: 'src/db/b.ts', text: `import type { a } from './a.ts';` };
    const b = { file: 'src/db/b.ts', text: `import { a } from './a.ts';` };
    expect(findRings([a, typed])).toHaveLength(1);
    expect(findRings([a, b])).toEqual(['src/db/a.ts -> src/db/b.ts -> src/db/a.ts']);
  });

  test.each([
    [{ file: 'src/db/a.ts', text: `const url = process.env['DATABASE_URL'];` }, /process\.env/],
    [{ file: 'src/db/a.ts', text: 'export default class {}' }, /default export/],
    [{ file: 'src/db/a.ts', text: 'export { a as default };' }, /default export/],
    [{ file: 'src/chain/rpc/a.ts', text: 'const now = Date.now();' }, /wall clock/],
  ])('finds a fault in a text: %j', (source, fault) => {
    expect(checkText(source)).toEqual([expect.stringMatching(fault)]);
  });

  test.each([
    ['src/engine/accept/a.ts', `import { query } from '../../db/client.ts';`, 1],
    ['src/engine/accept/a.ts', `import { hasRows, type Db } from '../../db/client.ts';`, 1],
    ['src/engine/accept/a.ts', `import type { Db } from '../../db/client.ts';`, 0],
    ['src/engine/store/a.ts', `import { query } from '../../db/client.ts';`, 0],
  ])('finds SQL outside of the store in %s: %s', (file, text, count) => {
    expect(checkSql({ file, text })).toHaveLength(count);
  });

  test.each([
    ["update intents i set status = 'queued', result = null where i.number = 1", 1],
    ["update intents i set updated_at = now(), status = 'queued' where i.number = 1", 1],
    ["update intents i set status = case when hash is null then 'queued' else 'submitted' end", 1],
    ['update intents i set status = :status where i.number = 1', 1],
    ["update intents i set status = 'submitted' where i.status = 'queued' and status = 'queued'", 0],
  ])('finds an intent that is queued by "%s"', (text, count) => {
    expect(checkQueueing({ file: 'src/engine/store/verdicts.ts', text })).toHaveLength(count);
  });

  test.each([
    [0, 400],
    [1, 401],
  ])('finds %d faults in a file of %d lines', (count, lines) => {
    expect(checkLength({ file: 'src/db/a.ts', text: 'a();\n'.repeat(lines) })).toHaveLength(count);
  });

  test.each([
    'src/utils/text.ts',
    'src/http/helpers.ts',
    'src/common/a.ts',
    'src/db/MyFile.ts',
    'src/db/my_file.ts',
  ])('finds a fault in the name %s', (file) => {
    expect(checkName({ file, text: '' })).toHaveLength(1);
  });
});
