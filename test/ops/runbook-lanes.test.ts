import { expect } from '@jest/globals';
import { commandIn } from '../../lab/faults/alive.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { setBalance } from '../../lab/faults/node-faults.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { readMetric, spawnEngine, startMint, walk } from './runbook/walk.ts';
import type { Site } from './runbook/walk.ts';

/*
 * Alerts about lanes: what waits, who holds them, what they may spend.
 */

const [SIGNER, , OTHER] = embeddedAccounts;
const RICH = 10n ** 24n;

const stopBlocks = ({ anvil }: Site) => anvil.call('evm_setAutomine', [false]);
async function startBlocks({ anvil }: Site): Promise<void> {
  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
}

walk({
  alert: 'MintmarkLaneStalled',
  fault: 'no blocks, while a write is sent',
  heal: '`intents show` names the nonce; blocks arrive again',
  induce: async (site) => {
    await stopBlocks(site);
    await startMint(site);
  },
  repair: async (site) => {
    expect((await site.admin('lanes')).toLowerCase()).toContain(SIGNER.address.toLowerCase());
    const [{ id }] = (await site.cli.ask<{ id: string }[]>('intents', 'list', '--stuck')) as [{ id: string }];
    expect(await site.admin('intents show ID', { ID: id })).toMatch(/nonce/);
    await startBlocks(site);
    await waitForStatus(site.account, id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkQueueLong',
  fault: 'no blocks, and a write behind `MAX_IN_FLIGHT` that is 11 minutes old',
  heal: 'blocks arrive again',
  variables: { MAX_IN_FLIGHT: '1' },
  induce: async (site) => {
    const other = await deployToken(site.account);
    await site.quiet();
    await stopBlocks(site);
    const first = await startMint(site);
    await waitForStatus(site.account, first, 'submitted');
    await startMint({ ...site, token: other });
    await site.age(
      `update intents set created_at = created_at - interval '11 minutes' where status = 'queued'`,
    );
  },
  repair: async (site) => {
    expect(await site.sql()).toMatchObject([{ email: site.account.email, count: 1n }]);
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where status = 'queued'`);
    expect(await site.admin('intents show ID', { ID: row!.id })).toContain('MAX_IN_FLIGHT');
    await startBlocks(site);
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkIntentStuck',
  fault: 'no blocks, and a sent write that is 6 minutes old',
  heal: 'blocks arrive again',
  induce: async (site) => {
    await stopBlocks(site);
    await waitForStatus(site.account, await startMint(site), 'submitted');
    await site.age(
      `update intents set created_at = created_at - interval '6 minutes' where status = 'submitted'`,
    );
  },
  repair: async (site) => {
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where status = 'submitted'`);
    expect(await site.admin('intents list --stuck')).toContain(row!.id);
    expect(await site.admin('intents show ID', { ID: row!.id })).toMatch(/nonce/);
    await startBlocks(site);
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkLaneUnheld',
  fault: 'the only engine with the key of a second signer is killed',
  heal: 'an engine with its keystore is started',
  induce: async (site) => {
    await site.cli.say('signers', 'grant', OTHER.address);
    const engine = await startOther(site);
    await site.waitForRow(`select 1 from lanes where lease_until > now() having count(*) = 2`);
    await engine.kill('SIGKILL');
  },
  repair: async (site) => {
    site.stack.use(await startOther(site));
  },
});

walk({
  alert: 'MintmarkLanePaused',
  fault: "the Operator's execution is stopped while a write waits",
  heal: '`lanes` names `execution start`',
  induce: async (site) => {
    await site.cli.say('execution', 'stop');
    // A lane notices it when it sends.
    await startMint(site);
  },
  repair: async (site) => {
    const command = commandIn(await site.admin('lanes'));
    expect(command).toEqual(['execution', 'start']);
    await site.cli.say(...command!);
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where kind = 'mint'`);
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

const startOther = ({ mintmark }: Site) => spawnEngine(mintmark, OTHER.privateKey);

walk({
  alert: 'MintmarkSignerUnfunded',
  fault: 'the signer has 1 wei',
  heal: 'ether is sent to it',
  induce: async (site) => {
    await setBalance(site.anvil, SIGNER.address, 1n);
    await startMint(site);
  },
  repair: async (site) => {
    await setBalance(site.anvil, SIGNER.address, RICH);
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where kind = 'mint'`);
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkSignerLow',
  fault: 'the signer has 0.05 ether',
  heal: 'ether is sent to it',
  induce: ({ anvil }) => setBalance(anvil, SIGNER.address, 5n * 10n ** 16n),
  repair: ({ anvil }) => setBalance(anvil, SIGNER.address, RICH),
});

walk({
  alert: 'MintmarkFeesSpent',
  fault: '`MAX_FEES_PER_DAY` is below what was spent',
  heal: 'the variable is raised, and the engine restarted',
  induce: async (site) => {
    await site.mintmark.restart({ MAX_FEES_PER_DAY: '0.000001' });
    await startMint(site);
  },
  repair: async (site) => {
    const [row] = await site.waitForRow<{ id: string }>(`select id from intents where kind = 'mint'`);
    await site.mintmark.restart({ MAX_FEES_PER_DAY: '100' });
    await waitForStatus(site.account, row!.id, 'confirmed');
  },
});

walk({
  alert: 'MintmarkFeesHigh',
  fault: '90 % of `MAX_FEES_PER_DAY` are spent',
  heal: 'the variable is raised, and the engine restarted',
  variables: { MAX_FEES_PER_DAY: '100' },
  induce: async (site) => {
    // From then on the cost is that of the receipts.
    await site.waitForRow(
      `select 1 where not exists (select 1 from transactions where fee is null and status <> 'displaced')`,
    );
    const spent = await readMetric(site, 'mintmark_fees_today_ether');
    await site.mintmark.restart({ MAX_FEES_PER_DAY: (spent / 0.9).toFixed(18) });
  },
  repair: async (site) => {
    await site.mintmark.restart({ MAX_FEES_PER_DAY: '100' });
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});
