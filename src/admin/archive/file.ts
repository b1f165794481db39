import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { ArchivedRow, ArchivedTransaction } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * An archive is a file of JSON lines: a header, an intent or a transaction in each line that follows, and an end that
 * counts them. It says itself whether it is whole. Rows are as PostgreSQL writes them, so that `jsonb_populate_record`
 * makes the same rows of them again.
 */

const FORMAT = 'mintmark archive 1';

/** Whose rows these are, and until when. */
export interface ArchiveHeader {
  chainId: string;
  genesisHash: Hex;
  /** Everything in it was final before that moment, ISO 8601. */
  before: string;
}

/** What is in an archive. */
interface ArchiveCounts {
  intents: number;
  transactions: number;
  attempts: number;
}

/** A whole archive. */
export interface VerifiedArchive extends ArchiveHeader, ArchiveCounts {
  /** Of the whole file, hexadecimal, as `sha256sum` prints it. */
  sha256: string;
  /** The largest number of its intents; 0 when it has none. */
  lastNumber: bigint;
}

/** One line of an archive, as it stands there. */
export interface ArchiveLine {
  text: string;
  /** Of an intent its number, of a transaction its id. */
  number: bigint;
  isIntent: boolean;
}

/** Only what these lines are read for. */
interface ParsedLine extends Partial<ArchiveHeader> {
  format?: string;
  end?: ArchiveCounts & { sha256: string };
  intent?: { number: number };
  transaction?: { id: number };
  attempts?: unknown[];
}

export const intentLine = ({ row }: ArchivedRow): string => `{"intent":${row}}`;

export const transactionLine = ({ row, attempts }: ArchivedTransaction): string =>
  `{"transaction":${row},"attempts":${attempts}}`;

const NOTHING: Readonly<ArchiveCounts> = { intents: 0, transactions: 0, attempts: 0 };

function count(counts: ArchiveCounts, line: ParsedLine): void {
  counts.intents += line.intent ? 1 : 0;
  counts.transactions += line.transaction ? 1 : 0;
  counts.attempts += line.attempts?.length ?? 0;
}

/** An archive that is being written. */
export interface ArchiveWriter extends AsyncDisposable {
  write(lines: readonly string[]): Promise<void>;
  /** Ends it, and lets the disk keep it. Returns what was written. */
  end(): Promise<ArchiveCounts>;
}

/** Begins an archive, over whatever an earlier process has left there. Its owner alone may read it. */
export async function createArchive(file: string, header: ArchiveHeader): Promise<ArchiveWriter> {
  const handle: FileHandle = await open(file, 'w', 0o600);
  const hash = createHash('sha256');
  const counts = { ...NOTHING };
  const append = async (text: string): Promise<void> => {
    hash.update(text);
    await handle.writeFile(text);
  };
  await append(`${JSON.stringify({ format: FORMAT, ...header })}\n`);
  return {
    write: async (lines) => {
      if (lines.length === 0) return;
      for (const line of lines) count(counts, JSON.parse(line) as ParsedLine);
      await append(`${lines.join('\n')}\n`);
    },
    end: async () => {
      await append(`${JSON.stringify({ end: { ...counts, sha256: hash.copy().digest('hex') } })}\n`);
      await handle.sync();
      return counts;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Lets the disk keep the name of a file, too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads an archive from the disk to its end. @throws Error with one sentence when it is not a whole one */
export async function verifyArchive(file: string): Promise<VerifiedArchive> {
  const [lines, whole] = [createHash('sha256'), createHash('sha256')];
  const counts = { ...NOTHING };
  let header: ArchiveHeader | undefined;
  let end: ParsedLine['end'];
  let lastNumber = 0n;
  for await (const text of readLines(file)) {
    const line = parseLine(text);
    if (!line || end) throw notWhole(file);
    whole.update(`${text}\n`);
    if (!header) {
      header = readHeader(line);
      if (!header) throw notWhole(file);
    }
    if (line.end) {
      end = line.end;
      continue;
    }
    lines.update(`${text}\n`);
    count(counts, line);
    if (line.intent && BigInt(line.intent.number) > lastNumber) lastNumber = BigInt(line.intent.number);
  }
  const found = { ...counts, sha256: lines.digest('hex') };
  if (
    !header ||
    !end ||
    Object.entries(found).some(([name, value]) => end[name as keyof typeof found] !== value)
  )
    throw notWhole(file);
  const { chainId, genesisHash, before } = header;
  return { chainId, genesisHash, before, ...counts, sha256: whole.digest('hex'), lastNumber };
}

function readHeader({ format, chainId, genesisHash, before }: ParsedLine): ArchiveHeader | undefined {
  if (format !== FORMAT || !chainId || !genesisHash || !before) return undefined;
  return { chainId, genesisHash, before };
}

/** The intents and transactions of an archive, in its order. */
export async function* readArchive(file: string): AsyncGenerator<ArchiveLine> {
  for await (const text of readLines(file)) {
    const { intent, transaction } = JSON.parse(text) as ParsedLine;
    if (intent) yield { text, number: BigInt(intent.number), isIntent: true };
    if (transaction) yield { text, number: BigInt(transaction.id), isIntent: false };
  }
}

const notWhole = (file: string): Error =>
  new Error(`${file} is no whole archive: move it away, or give another name with --to`);

function parseLine(text: string): ParsedLine | null {
  try {
    return JSON.parse(text) as ParsedLine;
  } catch {
    return null;
  }
}

const NEWLINE = 0x0a;

/**
 * Lines by their line feeds alone: Node's own reader also ends one at other separators, which a JSON string may
 * contain.
 */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString();
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString();
}
