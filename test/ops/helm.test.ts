import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service, ServiceAccount } from 'kubernetes-models/v1';
import type { IPodSpec } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { readSteps } from '../../scripts/image/dockerfile.ts';
import { readConfig } from '../../src/config.ts';
import {
  CHART,
  hashChart,
  readManifests,
  readValues,
  renderWithHelm,
  renderedFile,
} from '../../scripts/helm/chart.ts';

const run = promisify(execFile);
const read = (file: string): string => readFileSync(file, 'utf8');
const texts = readValues();

/** Checks a manifest against the schema of its kind. @throws Error when it does not fit, or nobody knows the kind */
function validate(manifest: unknown): void {
  if (Deployment.is(manifest)) new Deployment(manifest).validate();
  else if (Job.is(manifest)) new Job(manifest).validate();
  else if (ServiceMonitor.is(manifest)) new ServiceMonitor(manifest).validate();
  else if (Ingress.is(manifest)) new Ingress(manifest).validate();
  else if (NetworkPolicy.is(manifest)) new NetworkPolicy(manifest).validate();
  else if (PodDisruptionBudget.is(manifest)) new PodDisruptionBudget(manifest).validate();
  else if (Service.is(manifest)) new Service(manifest).validate();
  else if (ServiceAccount.is(manifest)) new ServiceAccount(manifest).validate();
  else throw new Error(`the kind of ${JSON.stringify(manifest)} is not known here`);
}

const rendered = Object.fromEntries(
  Object.keys(texts).map((name) => [name, readManifests(read(renderedFile(name)))]),
);
const namesOf = (name: string): string[] =>
  rendered[name]!.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const deploymentsOf = (name: string): IDeployment[] =>
  rendered[name]!.flatMap((manifest) => (Deployment.is(manifest) ? [manifest] : []));
/** The pods of a rendering, with those of the migration. */
const podsOf = (name: string): IPodSpec[] =>
  rendered[name]!.flatMap((manifest) =>
    Deployment.is(manifest) || Job.is(manifest) ? [manifest.spec!.template.spec!] : [],
  );
/** The variables of a pod of the chart, with those of the image, and of the Secret. */
function variablesOf({ containers }: IPodSpec): Record<string, string> {
  const image = readSteps().map(({ keyword, properties }) => (keyword === 'ENV' ? properties : {}));
  const own = (containers[0]!.env ?? []).map(({ name, value }) => [name, value ?? 'a-pod']);
  return {
    ...Object.assign({}, ...image),
    DATABASE_URL: 'postgres://mintmark:secret@db/mintmark',
    RPC_URL: 'http://rpc.example',
    ...Object.fromEntries(own),
  } as Record<string, string>;
}

test('what is rendered is of this chart, else run "node scripts/render-chart.ts" where there is Helm', () => {
  for (const [name, values] of Object.entries(texts)) {
    expect([name, read(renderedFile(name)).split('\n')[0]]).toEqual([
      name,
      `# Of the chart and the values ${hashChart(values)}`,
    ]);
  }
});

// Neither npm nor Debian has Helm: where there is none, nothing that could be installed helps.
const hasHelm = await run('helm', ['version']).then(
  () => true,
  () => false,
);
if (hasHelm)
  test('Helm lints the chart, and renders the same', async () => {
    for (const [name, values] of Object.entries(texts)) {
      const again = readManifests(await renderWithHelm('helm', values));
      expect([name, again]).toEqual([name, rendered[name]]);
    }
    const incomplete = renderWithHelm('helm', read(`${CHART}/values.yaml`));
    await expect(incomplete).rejects.toMatchObject({ stdout: expect.stringContaining('secretName') });
  });
else process.stderr.write('The chart is not rendered again: there is no helm in the PATH.\n');

describe.each(Object.keys(texts))('the manifests of %s', (name) => {
  test('fit the schemas of Kubernetes', () => {
    for (const manifest of rendered[name]!) validate(manifest);
    const [first] = deploymentsOf(name);
    expect(() => validate({ ...first, spec: { ...first!.spec, replicas: 'two' } })).toThrow('replicas');
  });

  test('give a pod no right', () => {
    expect(podsOf(name)).toHaveLength(3);
    for (const { securityContext, automountServiceAccountToken, containers } of podsOf(name)) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containers.map((container) => container.securityContext)).toEqual([
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ]);
    }
  });

  test('start what the service accepts, with variables that the handbook names', () => {
    const documented = read('docs/operate.md');
    for (const pod of podsOf(name)) {
      const variables = variablesOf(pod);
      const [program, ...args] = pod.containers[0]!.args!;
      if (program === 'scripts/admin.ts') expect(args).toEqual(['migrate']);
      const config = readConfig(program === 'src/main.ts' ? args : ['--role', 'api'], variables);
      expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, wrongAnswers: 'unchecked' });
      expect(config.signerKeystores.length > 0).toBe(config.role === 'engine' && name !== 'least');
      const unknown = Object.keys(variables).filter((each) => !documented.includes(`\`${each}\``));
      expect(unknown).toEqual(['NODE_ENV']);
    }
  });

  test('probe ports that are open, and mount what is there', () => {
    for (const pod of podsOf(name)) {
      const [container] = pod.containers;
      const ports = (container!.ports ?? []).map((port) => port.name);
      const { startupProbe, readinessProbe, livenessProbe } = container!;
      for (const probe of [startupProbe, readinessProbe, livenessProbe])
        if (probe) expect(ports).toContain(probe.httpGet!.port);
      const volumes = (pod.volumes ?? []).map((volume) => volume.name);
      expect((container!.volumeMounts ?? []).map((mount) => mount.name)).toEqual(volumes);
    }
    const ports = deploymentsOf(name).map(({ spec }) => spec!.template.spec!.containers[0]!.ports!);
    const numbers = new Set(ports.flat().map((port) => `${port.containerPort}`));
    const exposed = readSteps().find(({ keyword }) => keyword === 'EXPOSE')!.words;
    expect([...numbers].sort()).toEqual(exposed.sort());
  });

  test('let a pod end in time, and replace none before another one is ready', () => {
    const longestMs = readConfig([], {}).waitTimeoutMs + 10_000;
    for (const { spec } of deploymentsOf(name)) {
      const { terminationGracePeriodSeconds = 0, containers } = spec!.template.spec!;
      const [, pause = '0'] = containers[0]!.lifecycle?.preStop?.exec?.command ?? [];
      expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(longestMs + Number(pause) * 1_000);
      expect(spec!.strategy!.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    }
  });

  test('select the pods that they are for', () => {
    const labels = deploymentsOf(name).map(({ spec }) => spec!.template.metadata!.labels!);
    const selectors = rendered[name]!.flatMap((manifest) => {
      if (Deployment.is(manifest) || PodDisruptionBudget.is(manifest))
        return [manifest.spec!.selector!.matchLabels!];
      return Service.is(manifest) ? [manifest.spec!.selector!] : [];
    });
    expect(selectors.length).toBeGreaterThan(4);
    for (const selector of selectors) {
      const chosen = labels.filter((each) =>
        Object.entries(selector).every(([key, value]) => each[key] === value),
      );
      // The metrics are those of both.
      expect(chosen).toHaveLength(selector['app.kubernetes.io/component'] ? 1 : 2);
    }
  });
});

test('the migration runs before everything else', () => {
  const [job] = rendered['everything']!.filter(({ kind }) => kind === 'Job');
  expect(job!.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
});

test('what is not asked for is not there', () => {
  const always = ['Deployment', 'Job', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
  const kinds = (name: string): string[] => [...new Set(namesOf(name).map((each) => each.split(' ')[0]!))];
  expect(kinds('least')).toEqual(always);
  expect(kinds('everything').sort()).toEqual(
    [...always, 'Ingress', 'NetworkPolicy', 'ServiceMonitor'].sort(),
  );
});

test('the schema has each value of values.yaml, and no other', () => {
  interface Schema {
    properties?: Record<string, Schema>;
  }
  const keysOf = (value: unknown, schema: Schema): [string[], string[]] =>
    [Object.keys(value as object), Object.keys(schema.properties!)].map((keys) => keys.sort()) as [
      string[],
      string[],
    ];
  const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as Schema;
  const values = parse(read(`${CHART}/values.yaml`)) as Record<string, unknown>;
  const { global, ...known } = schema.properties!;
  expect(global).toBeDefined();
  const [given, allowed] = keysOf(values, { properties: known });
  expect(given).toEqual(allowed);
  for (const name of [
    'image',
    'api',
    'engine',
    'signers',
    'service',
    'ingress',
    'serviceMonitor',
    'migration',
  ]) {
    const [inner, accepted] = keysOf(values[name], known[name]!);
    expect([name, inner]).toEqual([name, accepted]);
  }
});

test('the chart has the version of the service', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ appVersion: version });
});
