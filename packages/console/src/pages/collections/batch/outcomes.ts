import type { Outcome } from './plan-list.ts';

const DATABASE = 'mintmark-lists';
const ROWS = 'rows';
const BY_ADDRESS = 'address';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () =>
      void request.result.createObjectStore(ROWS, { keyPath: 'name' }).createIndex(BY_ADDRESS, 'address');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('no database'));
  });
  return opened;
}

/** What this browser knows of the rows that were minted into a collection; it is never forgotten. */
export async function readOutcomes(address: string): Promise<Outcome[]> {
  const rows = (await open()).transaction(ROWS).objectStore(ROWS);
  return new Promise((resolve, reject) => {
    const request = rows.index(BY_ADDRESS).getAll(address.toLowerCase());
    request.onsuccess = () => resolve(request.result as Outcome[]);
    request.onerror = () => reject(request.error ?? new Error('not read'));
  });
}

/** Resolves once it is kept, whatever becomes of the page. */
export async function keepOutcome(outcome: Outcome): Promise<void> {
  const transaction = (await open()).transaction(ROWS, 'readwrite', { durability: 'strict' });
  transaction.objectStore(ROWS).put(outcome);
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('not kept'));
  });
}
