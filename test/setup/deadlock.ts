/** What PostgreSQL says to the one of two transactions that it ends when they wait for each other. */
export const createDeadlock = (): Error => Object.assign(new Error('deadlock detected'), { code: '40P01' });
