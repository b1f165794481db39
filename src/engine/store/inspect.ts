import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { INTENT_COLUMNS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';

/** An intent as its operator sees it: of any account. */
export interface InspectedIntent extends Intent {
  email: string;
  /** Null while a reorg may still take the verdict back. */
  finalAt: Date | null;
  /** Of its Operator; null when nothing had to be sent. */
  epoch: bigint | null;
}

export async function inspectIntent(db: Db, id: string): Promise<InspectedIntent | undefined> {
  const [row] = await query<InspectedRow>(db, `${INSPECTED} where i.id = :id`, { id });
  return row && toInspected(row);
}

/** A transaction of a lane, for a person who asks why it stands. */
export interface InspectedTransaction {
  signer: Hex;
  nonce: bigint;
  status: 'open' | 'mined' | 'final' | 'displaced';
  createdAt: Date;
  blockNumber: bigint | null;
  /** Of its attempts, oldest first. */
  hashes: Hex[];
}

const TRANSACTION = `t.signer, t.nonce, t.status, t.created_at as "createdAt", t.block_number as "blockNumber",
  (select array_agg(a.hash order by a.max_fee_per_gas) from attempts a where a.transaction_id = t.id) as hashes`;

type TransactionRow = Omit<InspectedTransaction, 'signer' | 'hashes'> & { signer: Buffer; hashes: Buffer[] };

const toTransaction = (row: TransactionRow): InspectedTransaction => ({
  ...row,
  signer: toHex(row.signer),
  hashes: row.hashes.map(toHex),
});

/** The live transaction of an intent. */
export async function findTransactionOf(db: Db, intent: bigint): Promise<InspectedTransaction | undefined> {
  const [row] = await query<TransactionRow>(
    db,
    `select ${TRANSACTION} from transaction_intents m join transactions t on t.id = m.transaction_id
      where m.intent_number = :intent and m.live`,
    { intent: String(intent) },
  );
  return row && toTransaction(row);
}

/** The first transaction of the signer without a receipt: all later ones wait for it. */
export async function findFirstOpen(db: Db, signer: Hex): Promise<InspectedTransaction | undefined> {
  const [row] = await query<TransactionRow>(
    db,
    `select ${TRANSACTION} from transactions t where t.signer = :signer and t.status = 'open' order by t.nonce limit 1`,
    { signer: toBytes(signer) },
  );
  return row && toTransaction(row);
}

/** The oldest open intent before this one on its contract. */
export async function findAhead(
  db: Db,
  { contract, number }: Pick<Intent, 'contract' | 'number'>,
): Promise<{ id: string; status: IntentStatus; createdAt: Date } | undefined> {
  const [row] = await query<{ id: string; status: IntentStatus; createdAt: Date }>(
    db,
    `select id, status, created_at as "createdAt" from intents
      where contract = :contract and number < :number and status in ('queued', 'submitted') order by number limit 1`,
    { contract: toBytes(contract), number: String(number) },
  );
  return row;
}
