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

const tell = (message: RunMessage): void => void process.send?.(message);

/** Jest's reporter for a run of mutants: it tells the process that started Jest what failed as soon as it has failed. */
export default class MutantReporter {
  onTestCaseResult(test: { path: string }, { status, fullName }: TestCase): void {
    if (status === 'failed') tell({ kind: 'failed', suite: test.path, test: fullName });
  }

  onTestFileResult(_test: unknown, file: TestFile): void {
    const failed = file.testResults.filter(({ status }) => status === 'failed');
    // A failed `beforeAll` fails tests that never ran, so no case of them is told.
    for (const { fullName } of failed) tell({ kind: 'failed', suite: file.testFilePath, test: fullName });
    const reason = file.testExecError?.message ?? file.failureMessage;
    if (failed.length === 0 && reason) tell({ kind: 'broken', suite: file.testFilePath, reason });
    const { start, end } = file.perfStats;
    tell({ kind: 'ended', suite: file.testFilePath, ms: end - start });
  }
}
