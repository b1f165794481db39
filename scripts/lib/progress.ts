import type { WriteStream } from 'node:tty';

/** Shows the progress of long work. */
export interface Progress {
  /** May be called at any rate: most calls show nothing. */
  report(describe: () => string): void;
  /** Erases the line of the terminal. */
  end(): void;
}

/** Work that ends earlier shows nothing. */
const FIRST_REPORT_MS = 2_000;
const ON_TERMINAL_MS = 250;
const ELSEWHERE_MS = 15_000;

/**
 * Says nothing for the first two seconds, and then, on a terminal, one line that is rewritten; elsewhere a
 * line at intervals.
 */
export function createProgress(
  output: Pick<WriteStream, 'isTTY' | 'write' | 'clearLine' | 'cursorTo'> = process.stderr,
): Progress {
  let nextAt: number | undefined;
  const clear = (): void => {
    output.cursorTo(0);
    output.clearLine(0);
  };
  return {
    report: (describe) => {
      const now = performance.now();
      nextAt ??= now + FIRST_REPORT_MS;
      if (now < nextAt) return;
      nextAt = now + (output.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS);
      if (output.isTTY) clear();
      output.write(output.isTTY ? describe() : `${describe()}\n`);
    },
    end: () => {
      if (output.isTTY) clear();
    },
  };
}
