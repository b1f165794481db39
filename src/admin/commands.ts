import { Argument, Option } from 'commander';
import type { Command } from 'commander';
import type { Hex } from '../lib/hex.ts';
import { PLAN_LIMITS } from '../lib/plans.ts';
import type { Plan } from '../lib/plans.ts';
import type { Add } from './add-command.ts';
import {
  createInvites,
  listAccounts,
  listInvites,
  resetPassword,
  resumeAccount,
  revokeKey,
  setGas,
  setPlan,
  suspendAccount,
} from './accounts.ts';
import { archive } from './archive/archive.ts';
import { address, auditHead, day, gasPerDay, transactionHash, uuid, wholeNumber } from './arguments.ts';
import { listAudit, verifyAuditLog } from './audit.ts';
import type { NotedHead } from './audit.ts';
import { burySigner } from './bury.ts';
import { startExecution, stopExecution } from './execution.ts';
import { findIntents, listStuck, resolveDone } from './find-intents.ts';
import { showIntent } from './intents.ts';
import { healLane, listLanes } from './lanes.ts';
import { transferOwnership } from './operator.ts';
import { migrateDatabase, showMigration } from './migrate.ts';
import { adopt } from './adopt.ts';
import { acceptDeepReorg, recover } from './recover.ts';
import { rotateSigners } from './rotate.ts';
import { listQuarantined, retryQuarantined } from './quarantine.ts';
import { grantSigner, signersStatus } from './signers.ts';

const MAX_INVITES = 1_000;
const DEFAULT_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 3_600;
const DEFAULT_ENTRIES = 50;
const MAX_ENTRIES = 10_000;

/** Adds all commands, a group for each subject. */
export function addCommands(program: Command, add: Add): void {
  const group = (name: string, description: string): Command =>
    program.command(name).description(description).helpCommand(false);
  addInvites(group('invites', 'Codes with which people register'), add);
  addAccounts(group('accounts', 'Who uses the service'), add);
  addKeys(group('keys', 'API keys'), add);
  addSigners(group('signers', "Hot keys that send the service's transactions"), add);
  addLanes(program, add);
  addExecution(group('execution', 'The emergency stop of the Operator contract'), add);
  addTokens(group('tokens', 'Tokens on the chain'), add);
  addRecover(program, add);
  addIntents(group('intents', 'Requested writes'), add);
  addAudit(group('audit', 'Who changed what, from where'), add);
  add(
    program,
    'migrate',
    'Bring the schema of the database to that of this release, while the release before goes on',
    showMigration,
    migrateDatabase,
  );
  addArchive(program, add);
}

function addInvites(group: Command, add: Add): void {
  add(group, 'create', 'Create invites, each for one account', (on, { count }: { count: number }) =>
    createInvites(on, count),
  ).option('--count <n>', 'how many', wholeNumber(1, MAX_INVITES), 1);
  add(group, 'list', 'Show all invites, and who used them', listInvites);
}

function addAccounts(group: Command, add: Add): void {
  add(group, 'list', 'Show all accounts', listAccounts);
  add(
    group,
    'set-plan',
    'Change the plan of an account, for the running month too',
    (on, email: string, plan: Plan) => setPlan(on, email, plan),
  )
    .argument('<email>', 'e-mail of the account')
    .addArgument(new Argument('<plan>', 'the new plan').choices(Object.keys(PLAN_LIMITS)));
  add(
    group,
    'set-gas',
    'Change the gas that an account may use in a day (UTC), beside its quota and credits',
    (on, email: string, gas: number | null) => setGas(on, email, gas),
  )
    .argument('<email>', 'e-mail of the account')
    .argument('<gas>', 'gas of a day, or "plan" for that of its plan', gasPerDay);
  add(
    group,
    'reset-password',
    'Set a random password, show it once, and end all sessions and access tokens',
    (on, email: string) => resetPassword(on, email),
  ).argument('<email>', 'e-mail of the account');
  add(
    group,
    'suspend',
    'Refuse every credential of an account; what was accepted goes on',
    (on, email: string) => suspendAccount(on, email),
  ).argument('<email>', 'e-mail of the account');
  add(group, 'resume', 'End the suspension of an account', (on, email: string) =>
    resumeAccount(on, email),
  ).argument('<email>', 'e-mail of the account');
}

function addKeys(group: Command, add: Add): void {
  add(group, 'revoke', 'Revoke an API key of any account', (on, id: string) => revokeKey(on, id)).argument(
    '<id>',
    'id of the key',
    uuid,
  );
}

function addSigners(group: Command, add: Add): void {
  add(group, 'status', 'Show roles, balances, nonces and lanes', signersStatus);
  add(group, 'grant', 'Make an address an executor of the Operator contract', (on, signer: Hex) =>
    grantSigner(on, signer),
  ).argument('<address>', 'of the new signer', address);
  add(
    group,
    'rotate',
    'Replace one signer by another, with each write executed exactly once',
    (on, { from, to, wait }: { from?: Hex; to?: Hex; wait: number }) =>
      rotateSigners(on, { from, to, waitSeconds: wait }),
  )
    .option('--from <address>', 'the old signer', address)
    .option('--to <address>', 'the new signer', address)
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for open transactions of the old signer')
        .argParser(wholeNumber(0, MAX_WAIT_SECONDS))
        .default(DEFAULT_WAIT_SECONDS),
    );
  add(
    group,
    'bury',
    'Give up a signer whose key is lost: another signer sends the calls of its open transactions',
    (on, signer: Hex, { wait }: { wait: number }) => burySigner(on, signer, wait),
  )
    .argument('<address>', 'of the signer', address)
    .addOption(
      new Option('--wait <seconds>', 'how long to wait until the end of its role is final')
        .argParser(wholeNumber(0, MAX_WAIT_SECONDS))
        .default(DEFAULT_WAIT_SECONDS),
    );
}

function addLanes(program: Command, add: Add): void {
  const lanes = add(
    program,
    'lanes',
    'Show the lane of each signer: who holds it, and why it is paused',
    listLanes,
  )
    .helpCommand(false)
    // Else `--json` of a command below would be taken for its own.
    .enablePositionalOptions();
  add(lanes, 'heal', 'Let a lane be taken anew, and send all that is open again', (on, signer: Hex) =>
    healLane(on, signer),
  ).argument('<signer>', 'address of its signer', address);
}

function addExecution(group: Command, add: Add): void {
  add(
    group,
    'stop',
    'Let the Operator execute nothing; what is queued waits, and nothing is lost',
    stopExecution,
  );
  add(group, 'start', 'Let the Operator execute again', startExecution);
}

function addTokens(group: Command, add: Add): void {
  add(
    group,
    'transfer-ownership',
    'Give a token that the Operator contract owns to a new owner',
    (on, token: Hex, owner: Hex) => transferOwnership(on, token, owner),
  )
    .argument('<address>', 'of the token', address)
    .argument('<owner>', 'address of the new owner', address);
}

function addRecover(program: Command, add: Add): void {
  add(
    program,
    'recover',
    'Begin a new epoch, in which what this database does not know has no effect: after a restore, or a lost or stolen key',
    (
      on,
      {
        acceptLoss = false,
        acceptReorg = false,
        adopt: operator,
      }: { acceptLoss?: boolean; acceptReorg?: boolean; adopt?: Hex },
    ) => {
      if (operator) return adopt(on, operator);
      return acceptReorg ? acceptDeepReorg(on) : recover(on, acceptLoss);
    },
  )
    .addOption(
      new Option(
        '--accept-loss',
        'also go on without the commits that this database lacks (a restored backup, or a copy that was behind)',
      ).conflicts(['acceptReorg', 'adopt']),
    )
    .addOption(
      new Option('--adopt <operator>', 'go on with the contracts of a database that is gone, in a new one')
        .argParser(address)
        .conflicts('acceptReorg'),
    )
    .option('--accept-reorg', 'undo a reorg that is deeper than the service undoes by itself');
}

function addIntents(group: Command, add: Add): void {
  add(group, 'show', 'Explain the status of an intent, and what to do', (on, id: string) =>
    showIntent(on, id),
  ).argument('<id>', 'id of the intent', uuid);
  add(
    group,
    'list',
    'Show what has had no verdict for a while, with why and what to do',
    listStuck,
  ).requiredOption('--stuck', 'only these');
  add(
    group,
    'find',
    'Show the newest intents of a transaction, a contract or an account',
    (on, text: string) => findIntents(on, text),
  ).argument('<hash|address|email>', 'of the transaction, the contract or the account');
  add(
    group,
    'resolve',
    'Confirm what the Operator has done and whose event no endpoint shows any more',
    (on, id: string, { transaction = null }: { transaction?: Hex | null }) =>
      resolveDone(on, id, transaction),
  )
    .argument('<id>', 'id of the intent', uuid)
    .option(
      '--transaction <hash>',
      'in which an explorer shows it, if not in the last that was signed for it',
      transactionHash,
    );
  add(group, 'quarantined', 'Show the intents whose verdicts the database refuses', listQuarantined);
  add(
    group,
    'retry',
    'Give a quarantined intent its verdict, once the cause of the refusal is repaired',
    (on, id: string) => retryQuarantined(on, id),
  ).argument('<id>', 'id of the intent', uuid);
}

function addAudit(group: Command, add: Add): void {
  add(group, 'list', 'Show the newest entries of the audit log', (on, { limit }: { limit: number }) =>
    listAudit(on, limit),
  ).option('--limit <n>', 'how many', wholeNumber(1, MAX_ENTRIES), DEFAULT_ENTRIES);
  add(
    group,
    'verify',
    'Compute the chain of hashes of the audit log again',
    (on, { expect = null }: { expect?: NotedHead | null }) => verifyAuditLog(on, expect),
  ).option('--expect <end>', 'an end of the chain that was noted elsewhere, like 17:5f1c…', auditHead);
}

function addArchive(program: Command, add: Add): void {
  add(
    program,
    'archive',
    'Move intents that were finished before a day into a file, with their transactions',
    (on, { before, to }: { before: Date; to: string }) => archive(on, { before, file: to }),
  )
    .requiredOption('--before <day>', 'the day (UTC), such as 2026-08-31', day)
    .requiredOption(
      '--to <file>',
      'the file that is written; the same command goes on with what was interrupted',
    );
}
