import { runProgram } from '../src/admin/program.ts';

/** The operator's command line; `--help` lists the commands. Exit code 0, or 1 with one sentence. */
process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  input: process.stdin,
});
