import type { RunMessage } from '../../scripts/mutants/run.ts';

interface TestCase {
  status: string;
  fullName: string;
}

interface TestFile {
  testFilePath: string;
  testExecError?: { message?: string } | null;
  failureMessage?: string | null;
  testResults: readonly TestCase[];
  perfStats: { start: number; end: number };
}

const report = (message: RunMessage): void => void process.send?.(message);

/** Jest's reporter for a run of mutants: it reports what failed to the process that started Jest, at once. */
export default class MutantReporter {
  onTestCaseResult(test: { path: string }, { status, fullName }: TestCase): void {
    if (status === 'failed') report({ kind: 'failed', suite: test.path, test: fullName });
  }

  onTestFileResult(_test: unknown, file: TestFile): void {
    const failed = file.testResults.filter(({ status }) => status === 'failed');
    // A failed `beforeAll` fails tests that never ran, so no case of them is reported.
    for (const { fullName } of failed) report({ kind: 'failed', suite: file.testFilePath, test: fullName });
    const reason = file.testExecError?.message ?? file.failureMessage;
    if (failed.length === 0 && reason) report({ kind: 'broken', suite: file.testFilePath, reason });
    const { start, end } = file.perfStats;
    report({ kind: 'ended', suite: file.testFilePath, ms: end - start });
  }
}
