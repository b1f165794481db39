import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { spawnService } from '../faults/service-process.ts';
import { askForHeldLane, createCli } from './cli.ts';

test('the command line finds the database and the chain of a running npm start, and says when none runs', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-admin-'));
  const environment = {
    DATA_DIR: folder,
    PORT: String(await findFreePort()),
    EMBEDDED_CHAIN_PORT: String(await findFreePort()),
  };
  const cli = createCli(environment);
  const service = await spawnService({ ...environment, DATABASE_URL: '', RPC_URL: '' });
  try {
    expect(await cli.ask('invites', 'list')).toHaveLength(1);
    expect(await askForHeldLane(cli)).toMatchObject([
      { address: embeddedAccounts[0].address, executor: true, lane: { isHeld: true } },
    ]);
    expect(await cli.ask('signers', 'grant', embeddedAccounts[2].address)).toMatchObject({ sent: true });
    const lost = createCli({ ...environment, EMBEDDED_CHAIN_PORT: '1' });
    expect(await lost.refuse('signers', 'status')).toMatch(/No chain answers on port 1/);
    await service.kill('SIGTERM');
    expect(await cli.refuse('invites', 'list')).toBe(
      `No Mintmark runs on ${folder}/embedded: start it with "npm start" first, or set DATABASE_URL and RPC_URL`,
    );
  } finally {
    await service.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
