import path from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Terminal } from './add-command.ts';
import { QUESTIONS, answerQuestions } from './init-answers.ts';
import { checkDatabase, checkEndpoints } from './init-checks.ts';
import { refuseExisting, writeFiles } from './init-files.ts';
import { list, toJson } from './report.ts';
import type { Report } from './report.ts';

interface Options extends Record<string, string | undefined> {
  folder: string;
  group: string;
}

/**
 * Adds the command that makes the configuration of a new deployment. It is none that works on one, as all others are.
 */
export function addInit(program: Command, terminal: Terminal): void {
  const command = program
    .command('init')
    .description('Make the configuration of a new Mintmark and its keys; what no option says is asked for');
  for (const { flag, asks } of QUESTIONS) command.option(`--${flag} <value>`, asks);
  command
    .option('--folder <path>', 'where the files are written; nothing in it is overwritten', '/etc/mintmark')
    .option('--group <name>', 'whose processes may read them', 'mintmark')
    .option('--json', 'print JSON, for programs')
    .action(async () => {
      const { json, ...options } = command.opts<Options & { json?: true }>();
      const report = await init(options, terminal);
      terminal.write(`${json ? toJson(report.json) : report.text}\n`);
    });
}

/** Asks, checks, and only then writes. @throws ConfigError with one sentence; then nothing is changed */
async function init({ folder: given, group, ...flags }: Options, terminal: Terminal): Promise<Report> {
  const folder = path.resolve(given);
  await refuseExisting(folder);
  const answers = await answerQuestions(flags, terminal);
  // What a process of the API reads: the keys do not exist yet.
  const config = readConfig(['--role', 'api'], answers);
  await checkDatabase(config);
  const { chainId, profile } = await checkEndpoints(config);
  const { signer, files } = await writeFiles(folder, group, answers);
  const text = [
    `${folder} has the configuration and the keys of a new Mintmark.`,
    '',
    list([
      ['chain', `${chainId} (${profile.name})`],
      ['signer', signer],
      ["the Operator's admin", config.operatorAdmin],
    ]),
    '',
    'Send ether to the signer, and start an engine once: it deploys the Operator, and says how the admin makes the signer an executor.',
  ].join('\n');
  return { json: { chainId, profile: profile.name, signer, files }, text };
}
