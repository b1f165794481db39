import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { installLines, linkModules, playGenerator } from '../setup/generated-client.ts';
import { npm } from '../setup/npm.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** Installs packages, which takes minutes. */
let mintmark: TestService;
let folder: string;
let modules: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-generators-'));
  const installed = path.join(folder, 'installed');
  modules = path.join(installed, 'node_modules');
  await mkdir(installed);
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(path.join(import.meta.dirname, name), path.join(installed, name));
  await npm(installed, ['ci']);
  mintmark = await startTestService();
});

afterAll(async () => {
  await mintmark?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test.each(['openapi-zod-client', 'kubb'])(
  '%s generates a typed client from openapi.yaml, which mints',
  async (name) => {
    await playGenerator(name, { mintmark, folder, install: linkModules(modules) });
  },
);

test.each(['hey-api', 'orval', 'oazapfts', 'swagger-typescript-api'])(
  '%s, installed by the line of docs/sdk.md, does so too',
  async (name) => {
    await playGenerator(name, {
      ...{ mintmark, folder },
      // In the project itself: generators look for its tsconfig.json from where they are installed.
      install: async (project) => {
        for (const line of installLines(name)) await npm(project, line);
      },
    });
  },
);
