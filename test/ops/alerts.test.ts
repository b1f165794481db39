import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { readRules } from './runbook/rules.ts';

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

const read = (file: string): string => readFileSync(file, 'utf8');
const rules = readRules();
const targets = (JSON.parse(read('ops/grafana-dashboard.json')) as { panels: Panel[] }).panels.flatMap(
  ({ title, targets = [] }) => targets.map((target) => ({ title, ...target })),
);

/** Prometheus's own, about what it scrapes, and the label that its configuration adds. */
const NOT_OURS = ['up', 'job', 'instance', 'deployment'];
const METRIC = /\b(?:mintmark|process|nodejs)_[a-z0-9_]+/g;

describe('dashboard and alerts use metrics that GET /metrics shows', () => {
  let service: TestService;
  /** Labels of each metric as the series show them; histograms by all of their names. */
  const shown = new Map<string, Set<string>>();
  beforeAll(async () => {
    service = await startTestService();
    const account = await service.register();
    await requestMint(account, await deployToken(account));
    await fetch(`${service.url}/metrics`);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      for (const each of names) shown.set(each, new Set());
    }
    for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)\{(.*)\} \S+$/gm))
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) shown.get(name)?.add(label);
  });
  afterAll(() => service.stop());

  const checks = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...targets.map(({ title, expr }) => [title, expr] as const),
  ];
  test.each(checks)('%s: %s', (_name, expr) => {
    const names = expr.match(METRIC) ?? [];
    if (!/\bup\b/.test(expr)) expect(names).not.toEqual([]);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
    for (const [, name = '', selector = ''] of expr.matchAll(/\b(\w+)\{([^}]*)\}/g)) {
      if (name === 'up') continue;
      for (const [, label = ''] of selector.matchAll(/(\w+)\s*=/g)) {
        // A counter of errors shows its labels only once there was one.
        if (shown.get(name)!.size > 0 && !NOT_OURS.includes(label)) expect(shown.get(name)).toContain(label);
      }
    }
  });

  test('each of our metrics is on the dashboard', () => {
    const drawn = targets.flatMap(({ expr }) => expr.match(METRIC) ?? []);
    const families = [...shown.keys()]
      .filter((name) => name.startsWith('mintmark_'))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    for (const family of new Set(families)) {
      expect(drawn.some((name) => name.startsWith(family)) ? family : `${family} is not drawn`).toBe(family);
    }
  });
});

describe('the runbook', () => {
  const parts = read('docs/runbook.md').split(/^## /m).slice(1);
  const named = parts.map((part) => part.split('\n')[0]!);

  test('has one section for each alert, in their order', () => {
    expect(named).toEqual(rules.map(({ alert }) => alert));
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))('says what %s asks for', (alert, rule) => {
    expect(rule.annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(parts[named.indexOf(alert)]!.split('\n').slice(1).join(' ').trim().length).toBeGreaterThan(60);
  });

  test('is walked for each alert, in the order of the rows of docs/reliability.md', () => {
    const suites = readdirSync('test/ops').filter((file) => /^runbook-.+\.test\.ts$/.test(file));
    const walked = suites.flatMap((file) =>
      [...read(`test/ops/${file}`).matchAll(/^ {2}alert: '(\w+)',$/gm)].map(([, alert]) => alert),
    );
    const alerts = rules.map(({ alert }) => alert);
    expect(walked.toSorted()).toEqual(alerts.toSorted());
    const rows = [...read('docs/reliability.md').matchAll(/^\| (Mintmark\w+) +\|/gm)].map(([, name]) => name);
    expect(rows).toEqual(alerts);
  });

  test('names existing commands of the command line', () => {
    const commands = read('docs/operate.md');
    const asked = [...read('docs/runbook.md').matchAll(/npm run admin -- ([a-z]+ [a-z-]+)/g)];
    expect(asked.length).toBeGreaterThan(2);
    for (const [, command] of asked) expect(commands).toContain(`\`${command}`);
  });
});
