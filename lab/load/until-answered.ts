import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a query for up to 30 seconds while PostgreSQL recovers and refuses connections. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 300) throw error;
      await sleep(100);
    }
  }
}
