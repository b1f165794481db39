import { RpcUnreachable } from './errors.ts';

/**
 * Waits for `work` until a time of the monotonic clock, in milliseconds. What is late goes on unheard.
 * @param what is waited for, such as the method of a call
 * @throws RpcUnreachable when it is late, or what `work` throws
 */
export async function byDeadline<Result>(
  work: Promise<Result>,
  deadline: number,
  what: string,
): Promise<Result> {
  const timeoutMs = Math.max(0, deadline - performance.now());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new RpcUnreachable(`${what}: no answer within ${Math.round(timeoutMs)} ms`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
