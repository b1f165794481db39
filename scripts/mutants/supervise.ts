import type { ChildProcess } from 'node:child_process';

/** A process that leads a group of its own, which is ended as a whole. */
interface Supervised {
  end(): void;
  /** Whether the time was over first; the exit code is null when it was ended from here. */
  ended: Promise<{ exitCode: number | null; isLate: boolean }>;
}

/** Ends a detached process, with all that it has started, when its time is over or the signal says so, and after its own end. */
export function supervise(
  child: ChildProcess,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Supervised {
  const end = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const wait = async (): Promise<{ exitCode: number | null; isLate: boolean }> => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal.addEventListener('abort', end);
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // What a suite started may still run: a service, a node.
    end();
    return { exitCode, isLate };
  };
  return { end, ended: wait() };
}
