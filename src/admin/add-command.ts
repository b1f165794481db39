import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { readAdminConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { recordCommand } from './audit.ts';
import { openAdminContext } from './open.ts';
import type { AdminContext } from './open.ts';
import { toJson } from './report.ts';
import type { Report } from './report.ts';

/** What a command line runs in. */
export interface Terminal {
  env: Parameters<typeof readAdminConfig>[0];
  write(text: string): void;
  writeError(text: string): void;
  /** Where answers to questions come from, a line each. */
  input: Readable;
}

/** Adds a command with `--json`, which opens the context and writes the report. */
export type Add = ReturnType<typeof createAdd>;

/** Returns a function that adds a command with `--json`, which opens the context and writes the report. */
export function createAdd(terminal: Terminal) {
  const { env, write, writeError } = terminal;
  return <Args extends unknown[]>(
    parent: Command,
    syntax: string,
    description: string,
    run: (context: AdminContext, ...args: Args) => Promise<Report>,
    /** What has to be done before the database can be opened. */
    prepare: (config: Config, terminal: Terminal) => Promise<void> = async () => undefined,
  ): Command => {
    const command: Command = parent
      .command(syntax)
      .description(description)
      .option('--json', 'print JSON, for programs')
      .action(async (...given: unknown[]) => {
        const config = readAdminConfig(env);
        await prepare(config, terminal);
        await using context = await openAdminContext(config, writeError);
        // Commander passes the options and then the command itself.
        const asked = given.slice(0, -1) as Args;
        await recordCommand(context, command, asked);
        const report = await run(context, ...asked);
        write(`${command.opts<{ json?: true }>().json ? toJson(report.json) : report.text}\n`);
      });
    return command;
  };
}
