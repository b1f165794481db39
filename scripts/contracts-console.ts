import { start } from 'node:repl';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { Script } from 'node:vm';
import { Command, InvalidArgumentError } from 'commander';
import * as ethers from 'ethers';
import ts from 'typescript';
import { describeRevert } from '../src/chain/abi/reverts.ts';
import { openDeveloperChain } from './contracts/chain.ts';
import type { DeveloperChain } from './contracts/chain.ts';
import { openContracts } from './contracts/typed.ts';

/** A console with the system's contracts by name: interactive, from a pipe, or for one line. */
const options = new Command('npm run contracts:console --')
  .description("Opens a console on a chain that has the system's contracts, each by its name.")
  .option(
    '--network <url>',
    'a JSON-RPC endpoint; otherwise the chain of an npm start that runs, or a new one',
  )
  .option(
    '--admin <address>',
    "the Operator's admin, when it is not the one of the embedded chain",
    parseAdmin,
  )
  .option(
    '--eval <code>',
    'runs this and ends, and so does what comes through a pipe: the value of the last statement is ' +
      'shown, or what a return gives; an error ends it with 1',
  )
  .parse()
  .opts<{ network?: string; admin?: string; eval?: string }>();

function parseAdmin(text: string): string {
  if (ethers.isAddress(text)) return ethers.getAddress(text);
  throw new InvalidArgumentError('It is no address.');
}

function describe({ url, chainId, system, accounts }: DeveloperChain): string {
  return `Chain ${chainId} at ${url}

  operator           ${ethers.getAddress(system.operator)}
  tokenFactory       ${ethers.getAddress(system.tokenFactory)}
  collectionFactory  ${ethers.getAddress(system.collectionFactory)}
  descriptor         ${ethers.getAddress(system.descriptor)}
${
  accounts
    ? `  you                ${accounts.you.address}, who sends, and is an executor
  admin              ${accounts.admin.address}, the Operator's admin\n`
    : '  This chain is not local: everything can be read, and nothing is sent.\n'
}
  erc20(address) and erc721(address) open a token; createToken(args) and createCollection(args) make one that
  belongs to you. Also here: provider, system, ethers. End with Ctrl-D.

  const coin = await createToken({ name: 'Coin', symbol: 'C' }); await coin.mint(you.address, 5n)`;
}

/** The names in the console. */
function nameAll({ provider, system, accounts }: DeveloperChain) {
  const contracts = openContracts(system, accounts?.you ?? provider);
  const owner = accounts?.you.address ?? ethers.ZeroAddress;
  const unbounded = { permissioned: false, maxSupply: 0n, mintLimitPerDay: 0n, recoverable: false };
  return {
    ...contracts,
    ...accounts,
    provider,
    system,
    ethers,
    createToken: async (given: Partial<Parameters<typeof contracts.tokenFactory.createToken>[1]>) => {
      const args = { owner, name: 'Token', symbol: 'TOK', decimals: 18n, ...unbounded, ...given };
      const salt = ethers.hexlify(ethers.randomBytes(32));
      const token = await contracts.tokenFactory.createToken.staticCall(salt, args);
      await (await contracts.tokenFactory.createToken(salt, args)).wait();
      return contracts.erc20(token);
    },
    createCollection: async (
      given: Partial<Parameters<typeof contracts.collectionFactory.createCollection>[1]>,
    ) => {
      const royalty = { royaltyReceiver: ethers.ZeroAddress, royaltyBasisPoints: 0n };
      const args = {
        owner,
        name: 'Collection',
        symbol: 'NFT',
        baseUri: '',
        ...unbounded,
        ...royalty,
        ...given,
      };
      const salt = ethers.hexlify(ethers.randomBytes(32));
      const token = await contracts.collectionFactory.createCollection.staticCall(salt, args);
      await (await contracts.collectionFactory.createCollection(salt, args)).wait();
      return contracts.erc721(token);
    },
  };
}

/** Makes statements the body of a function, which returns the value of the last one if that is an expression. */
function returnLast(code: string): string {
  const start = 'async () => ';
  const body = `{ ${code}\n}`;
  const file = ts.createSourceFile('console.js', `${start}${body}`, ts.ScriptTarget.Latest, true);
  const [wrapped] = file.statements;
  if (!wrapped || !ts.isExpressionStatement(wrapped) || !ts.isArrowFunction(wrapped.expression)) return body;
  const last = (wrapped.expression.body as ts.FunctionBody).statements.at(-1);
  if (!last || !ts.isExpressionStatement(last)) return body;
  return `${body.slice(0, last.getStart() - start.length)}return (${last.expression.getText()}); }`;
}

/** Runs an expression, or statements, with `await`. @throws SyntaxError, and what the code throws */
async function run(code: string): Promise<unknown> {
  const compile = (body: string): Script => new Script(`(async () => ${body})()`, { filename: 'console' });
  let script: Script;
  try {
    script = compile(`(${code}\n)`);
  } catch {
    script = compile(returnLast(code));
  }
  return script.runInThisContext() as Promise<unknown>;
}

async function talk(chain: DeveloperChain): Promise<void> {
  console.log(`${describe(chain)}\n`);
  const server = start({
    prompt: 'mintmark> ',
    useGlobal: true,
    writer: (value: unknown) =>
      value instanceof Error ? explain(value) : inspect(value, { colors: process.stdout.hasColors() }),
  });
  await new Promise((resolve) => server.once('exit', resolve));
}

async function main(): Promise<void> {
  await using chain = await openDeveloperChain({
    url: options.network,
    defaultUrl: `http://127.0.0.1:${process.env['EMBEDDED_CHAIN_PORT'] || 8545}`,
    admin: options.admin,
  });
  Object.assign(globalThis, nameAll(chain));
  if (options.eval === undefined && process.stdin.isTTY) return await talk(chain);
  const result = await run(options.eval ?? (await text(process.stdin)));
  if (result !== undefined) console.log(typeof result === 'string' ? result : inspect(result));
}

/** An error of a contract by its name. */
function explain(error: unknown): string {
  const { data, message } = error as { data?: unknown; message?: string };
  if (typeof data === 'string' && data.startsWith('0x')) return describeRevert(data).message;
  return message ?? String(error);
}

await main().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
