import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Client from '../../packages/client/src/index.ts';
import { buildClient } from '../../scripts/packages/client.ts';
import { installInto, pack, root } from './npm.ts';

/** What `@mintmark/client` brings along, all of it: the project of a test takes it from the clone. */
const BROUGHT = [
  'openapi-fetch',
  'openapi-typescript-helpers',
  'standardwebhooks',
  '@stablelib/base64',
  'fast-sha256',
];

export interface ClientProject extends AsyncDisposable {
  /** An empty project in which the packed package is installed. */
  folder: string;
  /** The packed package. */
  archive: string;
  /** The installed package. */
  client: typeof Client;
}

/** Builds the client, packs it and installs it in an empty project. */
export async function installClient(): Promise<ClientProject> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-client-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const copy = path.join(folder, 'client');
  await cp(path.join(root, 'packages/client'), copy, { recursive: true });
  await buildClient(copy);
  const archives = await pack(path.join(folder, 'archives'), [
    copy,
    ...BROUGHT.map((name) => path.join(root, 'node_modules', name)),
  ]);
  const project = path.join(folder, 'project');
  await installInto(project, archives);
  await symlink(path.join(root, 'node_modules/@types'), path.join(project, 'node_modules/@types'));
  const entry = path.join(project, 'node_modules/@mintmark/client/dist/index.js');
  const opened = opening.move();
  return {
    folder: project,
    archive: archives[0]!,
    client: (await import(pathToFileURL(entry).href)) as typeof Client,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
