import { Command, CommanderError } from 'commander';
import { createAdd } from './add-command.ts';
import type { Terminal } from './add-command.ts';
import { addCommands } from './commands.ts';
import { databaseWords } from './database-error.ts';
import { addInit } from './init.ts';
import { printable } from './report.ts';

/** Runs one command line. Returns its exit code: 0, or 1 after one sentence of error. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has written it already.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.writeError(`${printable(describe(error))}\n`);
    return 1;
  }
}

function describe(error: unknown): string {
  const words = databaseWords(error);
  if (words !== null) return `The database refused: ${words}`;
  return error instanceof Error ? error.message : String(error);
}

/** Creates the operator's commands. They work on the database and the chain that the environment configures. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('npm run admin --')
    .description(
      'Administers a Mintmark: the one that DATABASE_URL and RPC_URL name, or the one of DATA_DIR, which "npm start" runs in this folder.',
    )
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError });
  addInit(program, terminal);
  addCommands(program, createAdd(terminal));
  return program;
}
