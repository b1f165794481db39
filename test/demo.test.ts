import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../src/db/client.ts';
import { findFreePort } from '../src/embedded/free-port.ts';
import { openChain } from './setup/chain.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestService } from '../lab/stage/service.ts';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let folder: string;

beforeAll(async () => {
  // The whole story on the chain that the service embeds; the other tests run on anvil.
  mintmark = await startTestService({}, { node: 'hardhat' });
  chain = openChain(mintmark);
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-demo-'));
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
  await rm(folder, { recursive: true, force: true });
});

function play(...args: string[]): Promise<{ code: number; output: string; complaint: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/demo.ts', ...args], (error, output, complaint) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, complaint });
    });
  });
}

test('runs to its end, agrees with the ledger, and saves the picture of the first token', async () => {
  const invite = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([invite]);
  const picture = path.join(folder, 'demo.svg');
  const { code, output, complaint } = await play(
    '--url',
    mintmark.url,
    '--invite',
    invite,
    '--picture',
    picture,
  );
  expect({ code, complaint }).toEqual({ code: 0, complaint: '' });

  const address = /collection "Harbour Lights" at (0x[0-9a-fA-F]{40})/.exec(output)![1]!;
  expect(await chain.erc721(address).getFunction('totalSupply')()).toBe(5n);
  const hashes = output.match(/transaction 0x[0-9a-f]{64}/g)!.map((line) => line.split(' ')[1]!);
  expect(new Set(hashes).size).toBe(6);
  for (const hash of hashes) {
    expect((await chain.provider.getTransactionReceipt(hash))?.status).toBe(1);
  }
  expect(await readFile(picture, 'utf8')).toMatch(/^<svg .*Harbour Lights.*<\/svg>$/s);

  // The ledger that it prints is that of the database.
  const [ledger] = await query<{ spent: bigint }>(
    mintmark.service.context.db,
    `select sum(held + committed) as spent from ledger where meter = 'credits'`,
  );
  expect(ledger).toEqual({ spent: 10n });
  expect(output).toMatch(/as GET \/v1\/billing\/credits says +-10 +90\n/);
});

test('fails with one sentence that says what is wrong', async () => {
  const port = await findFreePort();
  for (const [args, words] of [
    [[], /^error: required option '--invite <code>' not specified/],
    [['--url', mintmark.url, '--invite', 'no such code'], /^422 VALIDATION_ERROR: .*invite/],
    [['--url', `http://127.0.0.1:${port}`, '--invite', 'any'], /^Nothing answers at .*npm start/],
  ] as const) {
    const { code, output, complaint } = await play(...args);
    expect({ code, complaint: complaint.trim() }).toEqual({
      code: 1,
      complaint: expect.stringMatching(words),
    });
    expect(complaint.trim().split('\n')).toHaveLength(1);
    expect(output).not.toContain('transaction');
  }
});
