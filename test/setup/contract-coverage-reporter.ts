import { EXCEPTIONS, findGaps, readDeclared, readRecord } from '../../lab/stage/contract-coverage.ts';

/** The parts of Jest's configuration that show whether all tests run. */
interface Selection {
  testPathPatterns: { patterns: string[] };
  testNamePattern?: string;
  onlyChanged: boolean;
  onlyFailures: boolean;
  shard?: object;
}

/** Fails a run of all tests when `openapi.yaml` declares an answer that no test brought about. */
export default class ContractCoverageReporter {
  readonly #isWhole: boolean;
  #error: Error | undefined;

  constructor({ testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard }: Selection) {
    const patterns = testPathPatterns.patterns.length > 0 || testNamePattern;
    this.#isWhole = !patterns && !onlyChanged && !onlyFailures && !shard;
  }

  onRunComplete(): void {
    if (!this.#isWhole) return;
    const contract = readDeclared();
    const gaps = findGaps(contract, readRecord(), EXCEPTIONS);
    if (gaps.length === 0) return;
    this.#error = new Error(`The tests do not cover openapi.yaml:\n${gaps.join('\n')}`);
    process.stderr.write(`\n${this.#error.message}\n`);
  }

  getLastError(): Error | undefined {
    return this.#error;
  }
}
