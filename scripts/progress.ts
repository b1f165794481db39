import type { WriteStream } from 'node:tty';

/** Tells how far a long work has come. */
export interface Progress {
  /** May be called as often as there is news: most of it is not shown. */
  tell(describe: () => string): void;
  /** Takes away what the terminal shows. */
  end(): void;
}

/** Long enough for a person to wonder. */
const FIRST_REPORT_MS = 2_000;
const ON_TERMINAL_MS = 250;
const ELSEWHERE_MS = 15_000;

/**
 * Says nothing for the first two seconds, and then, on a terminal, one line that is written again and again; elsewhere a
 * line now and then.
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
    tell: (describe) => {
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
