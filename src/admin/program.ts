import { Command, CommanderError } from 'commander';
import { readAdminConfig } from '../config.ts';
import { recordCommand } from './audit.ts';
import { addCommands } from './commands.ts';
import { openAdminContext } from './open.ts';
import type { AdminContext } from './open.ts';
import { printable, toJson } from './report.ts';
import type { Report } from './report.ts';

/** Adds a command with `--json`, which opens the context and writes the report. */
export type Add = ReturnType<typeof createAdd>;

/** What a command line runs in. */
export interface Terminal {
  env: Parameters<typeof readAdminConfig>[0];
  write(text: string): void;
  writeError(text: string): void;
}

/** Runs one command line. Returns its exit code: 0, or 1 after one sentence of error. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has written it already.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.writeError(`${printable(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
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
  addCommands(program, createAdd(terminal));
  return program;
}

/** Returns a function that adds a command with `--json`, which opens the context and writes the report. */
function createAdd({ env, write }: Terminal) {
  return <Args extends unknown[]>(
    parent: Command,
    syntax: string,
    description: string,
    run: (context: AdminContext, ...args: Args) => Promise<Report>,
  ): Command => {
    const command: Command = parent
      .command(syntax)
      .description(description)
      .option('--json', 'print JSON, for programs')
      .action(async (...given: unknown[]) => {
        await using context = await openAdminContext(readAdminConfig(env));
        // Commander passes the options and then the command itself.
        const asked = given.slice(0, -1) as Args;
        await recordCommand(context, command, asked);
        const report = await run(context, ...asked);
        write(`${command.opts<{ json?: true }>().json ? toJson(report.json) : report.text}\n`);
      });
    return command;
  };
}
