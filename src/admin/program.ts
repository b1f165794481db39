import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { parseAddress } from '../chain/address.ts';
import { readAdminConfig } from '../config.ts';
import type { Hex } from '../lib/hex.ts';
import { AppError } from '../errors.ts';
import { PLAN_LIMITS } from '../plans.ts';
import type { Plan } from '../plans.ts';
import { createInvites, listAccounts, listInvites, resetPassword, revokeKey, setPlan } from './accounts.ts';
import { recover, showIntent } from './intents.ts';
import { openPremises } from './open.ts';
import type { Premises } from './open.ts';
import { transferOwnership } from './operator.ts';
import { toJson } from './report.ts';
import type { Report } from './report.ts';
import { grantSigner, rotateSigners, signersStatus } from './signers.ts';

const MAX_INVITES = 1_000;
const LONGEST_WAIT_SECONDS = 3_600;

/** The operator's commands. Each works on database and chain of the service that the environment configures. */
export function createProgram(write: (text: string) => void): Command {
  const program = new Command('npm run admin --')
    .description(
      'Administers a Mintmark: the one that DATABASE_URL and RPC_URL name, or the one of DATA_DIR, which "npm start" runs in this folder.',
    )
    .helpCommand(false);

  /** A leaf of the tree: `--json`, what it works on, its answer. */
  const add = <Args extends unknown[]>(
    parent: Command,
    syntax: string,
    description: string,
    run: (premises: Premises, ...args: Args) => Promise<Report>,
  ): Command => {
    const command: Command = parent
      .command(syntax)
      .description(description)
      .option('--json', 'answer with JSON, for programs')
      .action(async (...given: unknown[]) => {
        const premises = await openPremises(readAdminConfig());
        try {
          // Commander adds the options, which carry `json`, and the command itself.
          const report = await run(premises, ...(given.slice(0, -1) as Args));
          write(`${command.opts<{ json?: true }>().json ? toJson(report.json) : report.text}\n`);
        } finally {
          await premises.close();
        }
      });
    return command;
  };
  const group = (name: string, description: string): Command =>
    program.command(name).description(description).helpCommand(false);

  const invites = group('invites', 'Codes with which people register');
  add(invites, 'create', 'Make invites, each good for one account', (on, { count }: { count: number }) =>
    createInvites(on, count),
  ).option('--count <n>', 'how many', wholeNumber(1, MAX_INVITES), 1);
  add(invites, 'list', 'Show all invites, and who used them', listInvites);

  const accounts = group('accounts', 'Who uses the service');
  add(accounts, 'list', 'Show all accounts', listAccounts);
  add(
    accounts,
    'set-plan',
    'Change the plan of an account, for the running month too',
    (on, email: string, plan: Plan) => setPlan(on, email, plan),
  )
    .argument('<email>', 'e-mail of the account')
    .addArgument(new Argument('<plan>', 'the new plan').choices(Object.keys(PLAN_LIMITS)));
  add(
    accounts,
    'reset-password',
    'Set a random password, show it once, and end all sessions and access tokens',
    (on, email: string) => resetPassword(on, email),
  ).argument('<email>', 'e-mail of the account');

  const keys = group('keys', 'API keys');
  add(keys, 'revoke', 'Revoke an API key of any account', (on, id: string) => revokeKey(on, id)).argument(
    '<id>',
    'id of the key',
    uuid,
  );

  const signers = group('signers', "Hot keys that send the service's transactions");
  add(signers, 'status', 'Show roles, balances, nonces and lanes', signersStatus);
  add(signers, 'grant', 'Make an address an executor of the Operator contract', (on, address: Hex) =>
    grantSigner(on, address),
  ).argument('<address>', 'of the new signer', address);
  add(
    signers,
    'rotate',
    'Move from one signer to the next, without losing or doubling anything',
    (on, { from, to, wait }: { from?: Hex; to?: Hex; wait: number }) =>
      rotateSigners(on, { from, to, waitSeconds: wait }),
  )
    .option('--from <address>', 'the signer that goes', address)
    .option('--to <address>', 'the signer that comes', address)
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for what the old signer has under way')
        .argParser(wholeNumber(0, LONGEST_WAIT_SECONDS))
        .default(60),
    );

  const tokens = group('tokens', 'Tokens on the chain');
  add(
    tokens,
    'transfer-ownership',
    'Make somebody the owner of a token that the Operator contract owns',
    (on, token: Hex, owner: Hex) => transferOwnership(on, token, owner),
  )
    .argument('<address>', 'of the token', address)
    .argument('<owner>', 'address of the new owner', address);

  add(
    program,
    'recover',
    'Continue with a database that was restored from a backup',
    (on, { acceptGap = false }: { acceptGap?: boolean }) => recover(on, acceptGap),
  ).option('--accept-gap', 'continue after the numbers that the chain knows and the database does not');

  const intents = group('intents', 'What was asked of the service');
  add(intents, 'show', 'Tell why an intent stands where it stands, and what to do', (on, id: string) =>
    showIntent(on, id),
  ).argument('<id>', 'id of the intent', uuid);
  return program;
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Say a whole number from ${least} to ${most}.`);
  };
}

function address(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgumentError('An address is 0x and 40 hexadecimal digits.');
  try {
    return parseAddress(text, 'It');
  } catch (error) {
    throw new InvalidArgumentError(
      error instanceof AppError ? `${error.message}.` : 'Its checksum is wrong.',
    );
  }
}

function uuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError('An id looks like 4e07997a-d7f5-4bf1-a44a-dd900a17589b.');
}
