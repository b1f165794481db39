import { once } from 'node:events';

/**
 * A node of V8's sampled call tree (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ProfileNode).
 */
interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/** Samples the stack of a Node process, of which the inspector listens. */
interface Profiler {
  /** Ends the sampling. Returns milliseconds by part of the program. */
  stop(): Promise<Map<string, number>>;
}

const INTERVAL_MICROSECONDS = 500;

/** @param port of `--inspect` */
export async function startProfiler(port: number): Promise<Profiler> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl);
  await once(socket, 'open');
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<{ profile: CpuProfile }> => {
    const id = (last += 1);
    return new Promise((resolve) => {
      const listen = ({ data }: MessageEvent): void => {
        const answer = JSON.parse(data as string) as { id: number; result: { profile: CpuProfile } };
        if (answer.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(answer.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
  await ask('Profiler.start');
  return {
    stop: async () => {
      const { profile } = await ask('Profiler.stop');
      socket.close();
      return timeByPart(profile);
    },
  };
}

/** What V8 calls times in which no function runs. */
const OUTSIDE = new Set(['(root)', '(idle)', '(program)', '(garbage collector)']);

/** Milliseconds of each part: what the runtime does for a part (buffers, JSON, hashing) counts as the part's own. */
function timeByPart({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const parts = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const name = (node: ProfileNode, parent: string): void => {
    const part = partOf(node.callFrame) ?? parent;
    parts.set(node.id, part);
    for (const child of node.children ?? []) name(byId.get(child)!, part);
  };
  name(nodes[0]!, 'Node.js');
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const part = parts.get(id)!;
    times.set(part, (times.get(part) ?? 0) + timeDeltas[index]! / 1_000);
  });
  return times;
}

/** A package, a room of the sources, or a subject of Node.js; undefined for what works for its caller. */
function partOf({ functionName, url }: ProfileNode['callFrame']): string | undefined {
  if (OUTSIDE.has(functionName)) return functionName === '(root)' ? undefined : functionName;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (inPackage) return inPackage[1]!;
  const inSources = /\/src\/([^/]+)(\/[^/]+)?/.exec(url);
  if (inSources) return `src/${inSources[1]}${inSources[2] ?? ''}`;
  if (/^node:_?http|^node:internal\/http/.test(url)) return 'Node.js http';
  return undefined;
}
