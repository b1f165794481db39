interface TestCase {
  status: string;
  fullName: string;
}

interface TestFile {
  testExecError?: { message?: string } | null;
  failureMessage?: string | null;
  testResults: readonly TestCase[];
}

/** Jest's reporter for a run of mutants: it says at once what failed, in the form of Hardhat. */
export default class MutantReporter {
  onTestCaseResult(_test: unknown, { status, fullName }: TestCase): void {
    if (status === 'failed') process.stdout.write(`    1) ${fullName}\n`);
  }

  onTestFileResult(_test: unknown, { testResults, testExecError, failureMessage }: TestFile): void {
    // A failed `beforeAll` fails tests that never ran, so no case of them is reported.
    for (const test of testResults) this.onTestCaseResult(_test, test);
    const reason = testExecError?.message ?? failureMessage;
    if (testResults.length === 0 && reason) process.stderr.write(`${reason.trim().split('\n')[0]}\n`);
  }
}
