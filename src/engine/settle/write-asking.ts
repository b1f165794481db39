/** Something that verdicts depend on, and that the chain was not asked for yet. */
export class NotAsked extends Error {
  override readonly name = 'NotAsked';
  /** Asks for it. */
  readonly ask: () => Promise<void>;
  constructor(ask: () => Promise<void>) {
    super('the chain was not asked for this yet');
    this.ask = ask;
  }
}

/**
 * Runs `write`, which writes verdicts in a database transaction of its own. What these turn out to depend on is not asked
 * for within that transaction, whose locks would wait for an endpoint: it is rolled back, the chain is asked, and `write`
 * is run again.
 * @throws what asking throws, and then nothing is written
 */
export async function writeAsking<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof NotAsked)) throw error;
      await error.ask();
    }
  }
}
