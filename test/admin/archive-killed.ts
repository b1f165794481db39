import { archiveFinished } from '../../src/admin/archive/archive.ts';
import { createDb } from '../../src/db/client.ts';

/** Archives in a process of its own, which kills itself at a moment: arguments are database, day, file and moment. */
const [url, before, file, point] = process.argv.slice(2);
await using db = createDb(url!, 2);
await archiveFinished(db, { before: new Date(before!), file: file! }, (reached) => {
  if (reached === point) process.kill(process.pid, 'SIGKILL');
});
