import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createCli, runAsProcess } from '../stage/cli.ts';
import { poisonNewest, refuseVerdicts } from './refused-verdicts.ts';
import { askNode } from '../proxies/rpc/endpoint.ts';
import { drawWrites, makeWrites } from '../load/writes.ts';
import { query } from '../../src/db/client.ts';
import { checkAlive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault, FaultRun, Outcome } from './outcome.ts';
import { deployByAdmin, judgeStage, prepare, withAnvil, withDb } from './stage.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 20;
const QUIET_MS = 180_000;
const VARIABLES = { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '20000' };

/** The database refuses the verdict of one intent, as a constraint would that nobody thought of. All others go on. */
export const poisonVerdict: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { variables: VARIABLES });
    const rounds = isShort ? 1 : scaled(ROUNDS);
    const flaws: string[] = [];
    const commands: string[] = [];
    await withDb(stage.mintmark.databaseUrl, refuseVerdicts);
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      // A victim that is cancelled has no verdict to refuse.
      const writes = drawWrites(draw, 12, { targets: stage.targets.length, waiting: 0, cancels: 0 });
      const victim = draw.whole(1, 6);
      await withDb(stage.mintmark.databaseUrl, async (db) => {
        let accepted = 0;
        await makeWrites(writes, stage.targets, stage.log, async () => {
          accepted += 1;
          if (accepted === victim) await poisonNewest(db);
        });
        // Contracts with nothing of the victim in front of them must not notice.
        const alive = await checkAlive(stage);
        flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}, while it is refused: ${flaw}`));
        const [row] = await query<{ id: string }>(db, 'delete from refused returning id');
        const retried = await createCli(stage.mintmark.environment).run('intents', 'retry', String(row?.id));
        if (retried.code === 0) commands.push('intents retry');
        const after = await checkAlive(stage);
        flaws.push(...after.flaws.map((flaw) => `round ${round + 1}, after it: ${flaw}`));
      });
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    await stage.mintmark.stop();
    return {
      made: `${rounds} verdicts that the database refuses`,
      judgement,
      note: commands.length > 0 ? `${commands.length} went on after "intents retry"` : 'none needed a person',
      flaws,
    };
  });

/** The guardian stops the Operator under load, and starts it again: everything waits, and nothing fails. */
export const stoppedOperator: Fault = (run) =>
  interrupt(run, {
    made: (rounds) => `${rounds} stops by its guardian, under load`,
    begin: ({ mintmark }) => runCommand(mintmark.environment, 'execution', 'stop'),
    end: ({ mintmark }) => runCommand(mintmark.environment, 'execution', 'start'),
  });

/** `EXECUTOR_ROLE`: keccak256 of its name. */
const EXECUTOR_ROLE = '0xd8aa0f3194971a2a116679f7c2090f6939c8d4e01a2a8d7e41d55e5351469e63';
/** `revokeRole(bytes32,address)` */
const REVOKE_ROLE = '0xd547741f';

/** The only signer loses its role under load, and gets it back. */
export const revokedRole: Fault = (run) =>
  interrupt(run, {
    made: (rounds) => `${rounds} times, of the only signer, under load`,
    admin: ADMIN.address,
    begin: async ({ mintmark, nodeUrl }) => {
      const { operator } = mintmark.service.context.system;
      const data = `${REVOKE_ROLE}${EXECUTOR_ROLE.slice(2)}${SIGNER.address.slice(2).padStart(64, '0')}`;
      const sent = { from: ADMIN.address, to: operator, data };
      const reply = await askNode(nodeUrl, { id: 1, method: 'eth_sendTransaction', params: [sent] });
      return reply.error ? `the role cannot be revoked: ${reply.error.message}` : null;
    },
    end: ({ mintmark }) =>
      runCommand(
        { ...mintmark.environment, SIGNER_KEY: ADMIN.privateKey },
        ...['signers', 'grant', SIGNER.address],
      ),
  });

const [SIGNER, ADMIN] = embeddedAccounts;
const RESTS_MS = 6_000;

interface Interruption {
  made(rounds: number): string;
  /** An administrator of the contracts who is no signer of the service. */
  admin?: string;
  /** Returns what went wrong; null: nothing. */
  begin(stage: Stage): Promise<string | null>;
  end(stage: Stage): Promise<string | null>;
}

/** Nothing may be executed for a while: what is accepted then waits. */
function interrupt(
  { scaled, random, isShort }: FaultRun,
  { made, admin, begin, end }: Interruption,
): Promise<Outcome> {
  return withAnvil(async (anvil) => {
    if (admin) await deployByAdmin(anvil.url, { admin, signer: SIGNER.address });
    const variables = { ...VARIABLES, ...(admin && { OPERATOR_ADMIN: admin }) };
    const stage = await prepare(anvil.url, { variables });
    const rounds = isShort ? 1 : scaled(ROUNDS);
    const flaws: string[] = [];
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      const writes = drawWrites(draw, 10, { targets: stage.targets.length, controls: 0.3, waiting: 0.3 });
      const stopAt = draw.whole(1, 4);
      let accepted = 0;
      await makeWrites(writes, stage.targets, stage.log, async () => {
        accepted += 1;
        if (accepted === stopAt) flaws.push(...asList(await begin(stage)));
      });
      await sleep(RESTS_MS);
      flaws.push(...asList(await end(stage)));
      const alive = await checkAlive(stage);
      flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}: ${flaw}`));
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    await stage.mintmark.stop();
    if (judgement.failed > 0) flaws.push(`${judgement.failed} failed while nothing could be executed`);
    return {
      made: made(rounds),
      judgement,
      note: `${judgement.acknowledged} writes, ${judgement.failed} failed`,
      flaws,
    };
  });
}

const asList = (flaw: string | null): string[] => (flaw === null ? [] : [flaw]);

/** Runs the operator's command line. Returns how it was refused; null: it was not. */
async function runCommand(environment: Record<string, string>, ...command: string[]): Promise<string | null> {
  const { code, stderr } = await createCli(environment, runAsProcess).run(...command);
  return code === 0 ? null : `"${command.join(' ')}" was refused: ${stderr.trim()}`;
}
