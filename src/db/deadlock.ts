/** PostgreSQL's code for a transaction that it ended because it and another one waited for each other. */
const DEADLOCK = '40P01';

/** Does a transaction once more that a deadlock ended: nothing of it was done, and the other one goes on. */
export async function retryOnDeadlock<Result>(transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK)) throw error;
    return transaction();
  }
}
