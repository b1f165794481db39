import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readContext, readSteps } from './dockerfile.ts';
import type { Step } from './dockerfile.ts';

/** What a stage has become. */
export interface Image {
  /** What the stage began with, without its digest, like `debian:bookworm-slim`. */
  base: string;
  /** A folder with the files that the steps added to the base. */
  root: string;
  /** As in the image. */
  workdir: string;
  environment: Record<string, string>;
  labels: Record<string, string>;
  user: string;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

/** What runs in a stage, and where. */
interface Builder {
  folder: string;
  /** For the commands of RUN. */
  environment: Record<string, string | undefined>;
  stages: Map<string, Image>;
}

/** Where the images of Node have it. */
const NODE = '/usr/local/bin/node';

/**
 * Runs the steps of the image without a container, each stage in a folder of its own. What a base image holds is not
 * there: RUN uses the programs of this machine, and Node is the one that runs this.
 * @param folder an empty one. @param environment of the commands. @returns the last stage
 */
export async function runSteps(
  folder: string,
  environment: Record<string, string | undefined> = process.env,
): Promise<Image> {
  await chmod(folder, 0o755);
  const builder: Builder = { folder, environment, stages: new Map() };
  let image: Image | undefined;
  for (const step of readSteps()) {
    if (step.keyword === 'FROM') image = await beginStage(step, builder);
    else if (image) await take(step, image, builder);
    else throw new Error(`${step.keyword} stands before FROM`);
  }
  if (!image) throw new Error('there is no stage');
  return image;
}

async function beginStage({ words }: Step, { folder, stages }: Builder): Promise<Image> {
  const [given = '', , name = 'last'] = words;
  const image: Image = {
    base: given.split('@')[0]!,
    root: path.join(folder, name),
    workdir: '/',
    environment: {},
    labels: {},
    user: '0:0',
    entrypoint: [],
    command: [],
    healthcheck: [],
  };
  stages.set(name, image);
  await mkdir(image.root);
  if (given.startsWith('node:')) {
    await mkdir(path.join(image.root, path.dirname(NODE)), { recursive: true });
    await cp(process.execPath, path.join(image.root, NODE));
  }
  return image;
}

async function take(step: Step, image: Image, builder: Builder): Promise<void> {
  const { keyword, text, words, command, properties } = step;
  if (keyword === 'COPY') return copy(step, image, builder);
  if (keyword === 'RUN') return run(text, image, builder);
  if (keyword === 'WORKDIR') {
    image.workdir = path.resolve(image.workdir, words[0]!);
    await mkdir(path.join(image.root, image.workdir), { recursive: true });
  } else if (keyword === 'ENV') Object.assign(image.environment, properties);
  else if (keyword === 'LABEL') Object.assign(image.labels, properties);
  else if (keyword === 'USER') image.user = words[0]!;
  else if (keyword === 'ENTRYPOINT') image.entrypoint = command;
  else if (keyword === 'CMD') image.command = command;
  else if (keyword === 'HEALTHCHECK') image.healthcheck = command;
  else if (!['ARG', 'EXPOSE', 'STOPSIGNAL'].includes(keyword))
    throw new Error(`${keyword} is not known here: add it to scripts/image/run-steps.ts`);
}

/** A folder is copied with what it holds, as COPY does. */
async function copy({ words, flags }: Step, image: Image, { stages }: Builder): Promise<void> {
  const [sources, target] = [words.slice(0, -1), words.at(-1)!];
  const place = path.join(image.root, path.resolve(image.workdir, target));
  for (const source of sources) {
    const file = flags['from'] ? path.join(stageOf(flags['from'], stages).root, source) : fromContext(source);
    const intoFolder = target.endsWith('/') && !(await stat(file)).isDirectory();
    await cp(file, intoFolder ? path.join(place, path.basename(source)) : place, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function stageOf(name: string, stages: Map<string, Image>): Image {
  const stage = stages.get(name);
  if (!stage) throw new Error(`no stage is called ${name}`);
  return stage;
}

/** @throws Error when the ignore file keeps it from the build */
function fromContext(source: string): string {
  if (!readContext().includes(source)) throw new Error(`the ignore file does not let ${source} through`);
  if (!existsSync(source)) throw new Error(`the repository has no ${source}`);
  return source;
}

async function run(text: string, { root, workdir }: Image, { environment }: Builder): Promise<void> {
  const cwd = path.join(root, workdir);
  const child = spawn('/bin/sh', ['-c', text], {
    cwd,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`RUN ${text} ended with ${code}: ${said}`);
}
