import { createProgram } from '../src/admin/program.ts';
import { printable } from '../src/admin/report.ts';

/** The operator's command line; `--help` lists the commands. Exit code 0, or 1 with one sentence. */
createProgram((text) => process.stdout.write(text))
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${printable(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = 1;
  });
