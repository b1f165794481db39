import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments, stringify } from 'yaml';

const run = promisify(execFile);

export const CHART = 'ops/helm/mintmark';
const RELEASE = 'mintmark';

/** An object of Kubernetes. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
}

/** What the chart is rendered with, as YAML by name. */
export function readValues(): Record<string, string> {
  const [, documented = ''] = /like this one[^]*?```yaml\n([^]*?)```/.exec(
    readFileSync('docs/containers.md', 'utf8'),
  )!;
  return {
    // Nobody's admin: the address has to be filled in.
    documented: documented.replace('ADDRESS', "'0x3440326f551B8A7ee198cEE35cb5D517f2d296a2'"),
    everything: readFileSync('test/ops/helm/everything.yaml', 'utf8'),
    least: readFileSync('test/ops/helm/least.yaml', 'utf8'),
  };
}

export const renderedFile = (name: string): string => `test/ops/helm/${name}.rendered.yaml`;

/** What the rendered manifests follow from, as one hash. */
export function hashChart(values: string): string {
  const hash = createHash('sha256').update(JSON.stringify(parse(values)));
  const files = globSync([`${CHART}/**/*`, `${CHART}/.helmignore`], { withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
  for (const name of names.sort()) hash.update(`\n${name}\n`).update(readFileSync(name));
  return hash.digest('hex');
}

export function readManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as Manifest | null;
  });
  const manifests = documents.filter((manifest) => manifest !== null);
  const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
  return manifests.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/**
 * Lints and renders the chart. @param helm the program. @returns the manifests by kind and name. @throws Error with
 * what Helm says
 */
export async function renderWithHelm(helm: string, values: string): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-chart-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'values.yaml');
  await writeFile(file, values);
  await run(helm, ['lint', '--strict', CHART, '--values', file]);
  const { stdout } = await run(helm, ['template', RELEASE, CHART, '--values', file]);
  return readManifests(stdout)
    .map((manifest) => stringify(manifest, { lineWidth: 0 }))
    .join('---\n');
}
