import { createInterface } from 'node:readline/promises';
import { splitHosts } from '../lib/database-url.ts';
import {
  ConfigError,
  address,
  checkUrl,
  databaseServers,
  list,
  oneOf,
  text,
  url,
} from '../lib/environment.ts';
import type { Environment } from '../lib/environment.ts';
import { NETWORKS } from '../lib/plans.ts';
import type { Terminal } from './add-command.ts';

/** What only the operator knows: a variable of mintmark.env, which a flag gives or a question asks for. */
interface Question {
  variable: string;
  /** Of the command line, without its dashes. */
  flag: string;
  asks: string;
  /** What an empty answer means; without it there has to be one. */
  otherwise?: string;
  /** @throws ConfigError with a sentence that names the variable */
  check(env: Environment): unknown;
}

const HTTP = ['http:', 'https:'];

export const QUESTIONS: readonly Question[] = [
  {
    variable: 'DATABASE_URL',
    flag: 'database',
    asks: 'URL of an empty PostgreSQL database, with user and password',
    check: (env) => databaseServers(env, 'DATABASE_URL', splitHosts),
  },
  {
    variable: 'RPC_URL',
    flag: 'rpc',
    asks: 'URLs of two JSON-RPC endpoints or more of one chain, the best one first, with commas between them',
    check: (env) => {
      for (const each of list(env, 'RPC_URL')) checkUrl('RPC_URL', each, HTTP);
    },
  },
  {
    variable: 'NETWORK',
    flag: 'network',
    asks: `Prices of which network, ${NETWORKS.join(' or ')} (test)`,
    otherwise: 'test',
    check: (env) => oneOf(env, 'NETWORK', NETWORKS, 'test'),
  },
  {
    variable: 'PUBLIC_URL',
    flag: 'url',
    asks: 'URL at which clients reach the API',
    check: (env) => url(env, 'PUBLIC_URL', HTTP),
  },
  {
    variable: 'EXPLORER_URL',
    flag: 'explorer',
    asks: "URL of an explorer of the chain (the service's own pages)",
    otherwise: '',
    check: (env) => url(env, 'EXPLORER_URL', HTTP),
  },
  {
    variable: 'OPERATOR_ADMIN',
    flag: 'admin',
    asks: 'Address of the cold key that may change roles and owners',
    check: (env) => address(env, 'OPERATOR_ADMIN'),
  },
];

/**
 * Returns the variables by name: what flags give, and answers to questions for the rest. A wrong answer is asked for
 * again.
 * @param flags by name
 * @throws ConfigError for a wrong flag, or when the answers end
 */
export async function answerQuestions(
  flags: Readonly<Record<string, string | undefined>>,
  { input, writeError }: Terminal,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  // Before anything is asked.
  for (const question of QUESTIONS) {
    const given = flags[question.flag];
    if (given !== undefined) answers[question.variable] = checked(question, given);
  }
  using asked = createInterface({ input, terminal: false });
  const lines: AsyncIterator<string, undefined> = asked[Symbol.asyncIterator]();
  for (const question of QUESTIONS) answers[question.variable] ??= await ask(question, lines, writeError);
  return answers;
}

async function ask(
  question: Question,
  lines: AsyncIterator<string, undefined>,
  writeError: Terminal['writeError'],
): Promise<string> {
  for (;;) {
    writeError(`${question.asks}: `);
    const line = await lines.next();
    if (line.done)
      throw new ConfigError(`There is no answer. Give --${question.flag}, or answer the question`);
    try {
      return checked(question, line.value);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      writeError(`${error.message}.\n`);
    }
  }
}

function checked({ variable, otherwise, check }: Question, given: string): string {
  const value = text({ [variable]: given }, variable) ?? otherwise;
  if (value === undefined) throw new ConfigError(`${variable} is needed`);
  // It stands between single quotes, which both systemd and a shell read.
  if (value.includes("'")) throw new ConfigError(`${variable} has a ', which its file cannot hold`);
  check({ [variable]: value });
  return value;
}
