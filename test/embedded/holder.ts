/**
 * Stands for the service: starts an embedded server, says so in one line of JSON, and keeps it until it is told to end.
 * `node holder.ts postgres DATA_DIR [throwaway]` or `node holder.ts chain PORT`
 */
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const log = (message: string) => say({ log: message });
const [what, where = '', data] = process.argv.slice(2);

try {
  const running =
    what === 'chain'
      ? await startEmbeddedChain({ port: Number(where), log })
      : await startEmbeddedPostgres({ dataDir: where, log, ...(data === 'throwaway' ? { data } : {}) });
  void running.ended.then((sentence) => say({ ended: sentence }));
  process.once('SIGINT', () => {
    say({ interrupted: true });
    process.stdin.resume().once('data', () => void running.stop().then(() => process.exit(0)));
  });
  say({ url: running.url });
} catch (error) {
  say({ refused: (error as Error).message });
  process.exitCode = 1;
}
