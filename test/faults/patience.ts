import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again, for half a minute, while PostgreSQL recovers and refuses connections. */
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
