const RELOADED_AT = 'mintmark-reloaded';
const PAUSE_MS = 30_000;

/** Reloads the page, unless that has just been tried. Returns whether it does. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
  if (Date.now() - last < PAUSE_MS) return false;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
  return true;
}
