import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { headOf, startAttacker } from '../../scripts/abuse/attacker.ts';
import type { Flood, Flooded } from '../../scripts/abuse/attacker.ts';
import { writeBetweenMarks } from '../../lab/between-marks.ts';
import { isHeld, reportOf, tableOf } from '../../scripts/abuse/outcome.ts';
import type { Figure, Result } from '../../scripts/abuse/outcome.ts';
import { ATTACKS } from '../../scripts/abuse/rows.ts';
import { ADDRESS, serve } from '../../lab/stage/serve.ts';

/*
 * The command `npm run abuse`: its table, and its attacker, whose floods are the short forms of those attacks that need
 * connections. docs/security.md names the suites that have the short forms of the others.
 */

const PAGE = path.join(import.meta.dirname, '../../docs/security.md');
const MIB = 1_048_576;

const figure = (changes: Partial<Figure> = {}): Figure => ({
  ...{ what: 'p95, ms', before: 3, during: 12, bound: 100 },
  ...changes,
});
const attack = (changes: Partial<Result> = {}): Result => ({
  ...{ attack: 'one', made: '3 | times', figures: [figure()], flaws: [] },
  ...changes,
});

describe('an attack is held', () => {
  test.each([
    ['within its bounds', attack(), true],
    ['at its bound', attack({ figures: [figure({ during: 100 })] }), true],
    ['not beyond one of them', attack({ figures: [figure(), figure({ during: 100.1 })] }), false],
    ['not without a measurement', attack({ figures: [figure({ during: NaN })] }), false],
    ['not with a flaw', attack({ flaws: ['refused'] }), false],
  ])('%s', (_condition, result, held) => {
    expect(isHeld(result)).toBe(held);
    expect(JSON.parse(reportOf([result]))).toMatchObject([{ attack: 'one', isHeld: held }]);
  });
});

test('the table has a line for each figure and flaw, and names an attack once', () => {
  const result = attack({
    figures: [figure(), figure({ before: null, during: 1_234.5 })],
    flaws: ['a\nb'],
  });
  expect(tableOf([result]).split('\n').slice(2)).toEqual([
    '| one | 3 \\| times | p95, ms | 3 | 12 | 100 | yes |',
    '|  |  | p95, ms | – | 1,235 | 100 | **no** |',
    '|  |  | **a b** | – | – | – | **no** |',
  ]);
});

test('what is written takes the place of what was between the marks, and of nothing else', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-abuse-'));
  const document = path.join(folder.path, 'page.md');
  await writeFile(document, 'Before\n\n<!-- begin of abuse -->\n\nold\n\n<!-- end of abuse -->\n\nAfter\n');
  await writeBetweenMarks(document, 'abuse', () => 'new');
  expect(await readFile(document, 'utf8')).toBe(
    'Before\n\n<!-- begin of abuse -->\n\nnew\n\n<!-- end of abuse -->\n\nAfter\n',
  );
});

test('docs/security.md has every attack with what bounds it, and figures in the order of the command', async () => {
  const [, section] = /## Abuse\n([^]*?)\n## /.exec(await readFile(PAGE, 'utf8'))!;
  const [bounds, figures] = section!.split('<!-- begin of abuse -->');
  const attacksOf = (text: string): string[] =>
    [...text.matchAll(/^\| ([a-z][^|]*?) +\|/gm)].map(([, name]) => name!);
  const names = Object.keys(ATTACKS);
  expect(attacksOf(bounds!)).toEqual(names);
  const measured = attacksOf(figures!);
  expect(measured.length).toBeGreaterThan(10);
  expect(measured).toEqual(names.filter((name) => measured.includes(name)));
  // As a list divided by commas names them.
  expect(names.filter((name) => /,|^ | $/.test(name))).toEqual([]);
});

describe('an attacker', () => {
  /** Floods until all of these statuses were seen, for longer each time: a busy machine takes its time. */
  const floodUntil = async (
    seen: readonly string[],
    plan: Pick<Flood, 'head' | 'body'> & Partial<Flood>,
  ): Promise<Flooded> => {
    await using service = await serve();
    await using attacker = await startAttacker();
    const { port } = service;
    for (let forMs = 1_500; ; forMs *= 4) {
      const flooded = await attacker.flood({
        ...{ port, connections: 12, forMs },
        ...plan,
      });
      if (forMs > 20_000 || seen.every((status) => flooded.statuses[status])) return flooded;
    }
  };
  const batch = `POST /v1/collections/${ADDRESS}/mint/batch`;
  const body = `{"items":"${'x'.repeat(900_000)}`;

  test('without a credential gets 401 for bodies of a megabyte', async () => {
    const head = headOf(batch, { bytes: body.length });
    const { statuses } = await floodUntil(['401'], { head, body });
    expect(statuses['401']).toBeGreaterThan(0);
    expect(Object.keys(statuses)).not.toContain('422');
  });

  test('with bodies that it never finishes gets 429 for those beyond the room of its account', async () => {
    const headers = { Authorization: 'Bearer live' };
    const head = headOf(batch, { bytes: MIB, headers });
    const { statuses } = await floodUntil(['429', 'open'], { head, body });
    expect(statuses['429']).toBeGreaterThan(0);
    expect(statuses['open']).toBeGreaterThan(0);
  });

  test('with a body of 2 GiB gets rid of some megabytes of it', async () => {
    const headers = { Authorization: 'Bearer access' };
    const head = headOf(`POST /tokens/${ADDRESS}/mint`, { bytes: 2_048 * MIB, headers });
    // The end of a connection may overtake its answer (RFC 9112, 9.6), but hardly each time.
    const plan = { head, body: ' '.repeat(MIB), isEndless: true };
    const { statuses, maxBytes } = await floodUntil(['422'], plan);
    expect(statuses['422']).toBeGreaterThan(0);
    expect(maxBytes).toBeLessThan(64 * MIB);
  });
});
