import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { say } from './lib/say.ts';

/** The last solc in npm that carries a solver (Z3): later ones look for a program of the machine. */
const solc = createRequire(import.meta.url)('solc-with-solver') as {
  compile: (input: string, callbacks: { import: (file: string) => { contents: string } }) => string;
};
const ROOT = path.resolve(import.meta.dirname, '..');
const PROOFS = ['test/proofs/BucketProofs.sol', 'test/proofs/BitmapProofs.sol'];

/** Claims that the solver neither proves nor refutes, each with the test that tries it with random values. */
const UNPROVED: Readonly<Record<string, string>> = {
  NeverGivesMoreThanTheLimit: 'Bucket.t.sol: test_givesTheLimitAtOnceAndNoMore',
  IsFullWithinADay: 'Bucket.t.sol: test_tellsWhenItIsFull',
  GivesAllAfterADay: 'Bucket.t.sol: test_tellsWhenItIsFull',
  LeavesWhatWasNotTaken: 'Bucket.t.sol: test_givesTheLimitAtOnceAndNoMore',
  AnotherLimitGivesNothing: 'Bucket.t.sol: test_aHigherLimitGivesNothingAtOnce',
  ARunHasItsOwner: 'Invariants.t.sol: invariant_collection',
};
/** Of "might happen here", for any kind of target. */
const UNKNOWN = /might happen here|violation happens here/;
const SAFE = /check is safe/;

/** Resolves an import as Hardhat does. */
function read(file: string): { contents: string } {
  const isOurs = file.startsWith('contracts/') || file.startsWith('test/');
  return { contents: readFileSync(path.join(ROOT, isOurs ? '' : 'node_modules', file), 'utf8') };
}

/** What the model checker says of a contract: its targets that are safe, and the others. */
function check(file: string, contract: string, content: string): { safe: number; open: string[] } {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      outputSelection: { '*': { '*': [] } },
      modelChecker: {
        contracts: { [file]: [contract] },
        engine: 'bmc',
        solvers: ['z3'],
        showProvedSafe: true,
        showUnproved: true,
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as {
    errors?: { severity: string; message: string; formattedMessage: string }[];
  };
  const messages = output.errors ?? [];
  const broken = messages.find(({ severity }) => severity === 'error');
  if (broken !== undefined) throw new Error(broken.formattedMessage);
  return {
    safe: messages.filter(({ message }) => SAFE.test(message)).length,
    open: messages.filter(({ message }) => UNKNOWN.test(message)).map((each) => each.formattedMessage),
  };
}

let failures = 0;
for (const file of PROOFS) {
  // Claims of one source share the solver's limit: each gets a source of its own.
  const [head = '', ...claims] = read(file).contents.split(/^(?=contract )/m);
  for (const claim of claims) {
    const name = /^contract (\w+)/.exec(claim)?.[1] ?? '';
    const { safe, open } = check(file, name, head + claim);
    const test = UNPROVED[name];
    if (open.length === 0 && safe > 0 && test === undefined) say(`proved: ${name} (${safe} targets)`);
    else if (open.length > 0 && test !== undefined) say(`not proved, tested by ${test}: ${name}`);
    else {
      failures += 1;
      say(open.length > 0 ? open.join('') : `${name}: proved now, or it claims nothing`);
    }
  }
}
process.exitCode = failures > 0 ? 1 : 0;
