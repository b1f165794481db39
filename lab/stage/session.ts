import pg from 'pg';

/** One connection of its own, to any server and database. */
export async function openSession(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(url);
  // Whoever asks next is told of a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
