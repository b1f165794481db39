const LOOK_MS = 500;

/** Calls `ended` once when the parent of this process has ended: then it belongs to another one. */
export function watchParent(ended) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    ended();
  }, LOOK_MS);
  watch.unref();
}
