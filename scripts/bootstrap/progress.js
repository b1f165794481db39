const ON_TERMINAL_MS = 250;
const ELSEWHERE_MS = 10_000;

/**
 * Says `first`, and then `describe(seconds)` now and then: on a terminal in one line that is rewritten, elsewhere in a line
 * every ten seconds. `first` may be left out: then work that ends soon says nothing. Returns what ends it.
 */
export function showProgress(first, describe, output = process.stderr) {
  const startedAt = Date.now();
  const fit = (line) => line.slice(0, (output.columns || 80) - 1);
  const write = (line) => output.write(output.isTTY ? `\r\u001b[K${fit(line)}` : `${line}\n`);
  let isOpen = false;
  const say = (line) => {
    write(line);
    isOpen = Boolean(output.isTTY);
  };
  if (first) say(first);
  const timer = setInterval(
    () => say(describe(Math.round((Date.now() - startedAt) / 1_000))),
    output.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS,
  );
  return () => {
    clearInterval(timer);
    if (isOpen) output.write('\n');
  };
}
