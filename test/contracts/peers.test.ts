import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.join(import.meta.dirname, '../..');

test("solmate's suites of ERC-20 and ERC-721 pass with clones of the managed tokens", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/peers.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY: 'true' },
  });
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('108 passing'), expect.anything()]);
});
