import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { findProgram } from '../../lab/stage/program.ts';
import { ruleCases } from './runbook/rule-cases.ts';
import type { Series } from './runbook/rule-cases.ts';
import { readRules } from './runbook/rules.ts';

/*
 * The rules of ops/alerts.yaml by `promtool test rules`, each both ways at once: one Prometheus watches a deployment in
 * which the alert has to fire and another one in which it has not.
 */

const run = promisify(execFile);
const promtool = await findProgram('promtool', 'prometheus');
const rules = path.resolve('ops/alerts.yaml');

/** Beyond every range, and every `for`. */
const LOOKED_AT = '60m';

function ofDeployment(deployment: string, series: Series): { series: string; values: string }[] {
  return Object.entries(series).map(([name, values]) => {
    const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name)!;
    const all = [...(labels ? [labels] : []), `deployment="${deployment}"`].join(',');
    return { series: `${metric}{${all}}`, values };
  });
}

/** Deployments for which an alert fires. */
const firing = (alert: string, deployments: string[]) => ({
  expr: `count by (deployment) (ALERTS{alertname="${alert}",alertstate="firing"}) > 0`,
  eval_time: LOOKED_AT,
  exp_samples: deployments.map((deployment) => ({
    labels: deployment ? `{deployment="${deployment}"}` : '{}',
    value: 1,
  })),
});

const cases = ruleCases.map(({ alert, name = '', ill, well }) => ({
  name: `${alert} ${name}`.trim(),
  interval: '1m',
  input_series: [...ofDeployment('ill', ill), ...ofDeployment('well', well)],
  promql_expr_test: [firing(alert, ['ill'])],
}));

const withoutAny = {
  name: 'Prometheus knows no process at all',
  interval: '1m',
  input_series: [{ series: 'up{job="other"}', values: '1x90' }],
  promql_expr_test: [firing('MintmarkDown', [''])],
};

// All by one promtool: it takes longer to start than to test. It says the name of what fails, and what fires instead.
(promtool ? test : test.skip)(
  'each alert fires for the deployment that is ill, and not for the one beside it',
  async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-rules-'));
    const file = path.join(folder.path, 'tests.json');
    // JSON is YAML.
    await writeFile(
      file,
      JSON.stringify({ rule_files: [rules], evaluation_interval: '5m', tests: [...cases, withoutAny] }),
    );
    const said = await run(promtool!, ['test', 'rules', file]).catch((error: { stderr: string }) => error);
    expect(said.stderr).toBe('');
  },
);

test('each alert has a case', () => {
  expect([...new Set(ruleCases.map(({ alert }) => alert))]).toEqual(readRules().map(({ alert }) => alert));
});
