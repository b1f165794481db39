import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/** SQL: whether commits are lost as far as is known, or another database raises the epoch, and no person has accepted that. */
export const ARE_COMMITS_LOST = '(select s.lost_since is not null from server s)';

/** SQL: whether the server of `server s` is another one than it was: a standby that was promoted, or that of a restored backup. */
export const IS_OTHER = 's.identity <> server_identity()';
export const IS_OTHER_SERVER = `(select ${IS_OTHER} from server s)`;

/** SQL: whether another process may have sent what is not here: the server is another one, or an endpoint counts more than is known. */
export const IS_SUSPECT = `(select s.is_suspect or ${IS_OTHER} from server s)`;

/**
 * SQL: whether this database may lack commits, and no epoch has begun since in which those have no effect. It is so before any process
 * has noticed: a pooler lets a connection go on with another server.
 */
export const MAY_LACK_COMMITS = `(${ARE_COMMITS_LOST} or ${IS_SUSPECT})`;

/** Another process may have sent what is lost here: nothing is accepted, and nothing fails or is cancelled, until `clearServer`. */
export async function suspectServer(db: Db): Promise<void> {
  await query(db, 'update server set is_suspect = true where not is_suspect');
}

/** The sender has seen that all that others had sent is here, or mined, or void. @param identity of the server of which it is so */
export async function clearServer(db: Db, identity: string): Promise<void> {
  await query(db, 'update server set is_suspect = false where identity = :identity', { identity });
}

export async function areCommitsLost(db: Db): Promise<boolean> {
  const [row] = await query<{ areLost: boolean }>(db, `select ${ARE_COMMITS_LOST} as "areLost"`);
  return row!.areLost;
}

export async function isServerSuspect(db: Db): Promise<boolean> {
  const [row] = await query<{ isSuspect: boolean }>(db, `select ${IS_SUSPECT} as "isSuspect"`);
  return row!.isSuspect;
}
