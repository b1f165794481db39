import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/** SQL: whether commits are lost as far as is known, or another database raises the epoch, and no person has accepted that. */
export const ARE_COMMITS_LOST = '(select s.lost_since is not null from server s)';

/** SQL: whether the server of `server s` is another one than it was: a standby that was promoted, or that of a restored backup. */
export const IS_OTHER = 's.identity <> server_identity()';
export const IS_OTHER_SERVER = `(select ${IS_OTHER} from server s)`;

/**
 * SQL: whether this database may lack commits, and no epoch has begun since in which those have no effect. It is so before any process
 * has noticed: a pooler lets a connection go on with another server.
 */
export const MAY_LACK_COMMITS = `(select s.lost_since is not null or ${IS_OTHER} from server s)`;

export async function areCommitsLost(db: Db): Promise<boolean> {
  const [row] = await query<{ areLost: boolean }>(db, `select ${ARE_COMMITS_LOST} as "areLost"`);
  return row!.areLost;
}
