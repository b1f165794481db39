import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encryptKeystoreJson } from 'ethers';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { startAnvilNode } from './nodes.ts';
import { mintOverHttp, startOwn } from './own.ts';
import { warmUp } from './scenario.ts';
import type { Settings } from './settings.ts';
import { renderTable, say } from './table.ts';

interface Row {
  signers: number;
  perSecond: number;
  outOfOrder: number;
}

const PASSWORD = 'bench';
/** Small enough that the signers, and not the machine, are the limit. */
const LIMITS = { MAX_BATCH: '10', MAX_IN_FLIGHT: '4' };

/** Throughput with one, two and four signers, and whether the order within each contract held. */
export async function measureSigners({ postgresUrl, scale }: Settings): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-signers-'));
  const rows: Row[] = [];
  for (const signers of [1, 2, 4]) {
    await administer(postgresUrl, `create database signers_${signers}`);
    const node = await startAnvilNode();
    const keystores = await Promise.all(
      embeddedAccounts.slice(0, signers).map((key) => writeKeystore(folder, key)),
    );
    await writeFile(path.join(folder, 'password'), PASSWORD);
    const own = await startOwn(databaseUrl(postgresUrl, `signers_${signers}`), node.url, 20, {
      variables: {
        ...LIMITS,
        SIGNER_KEY: '',
        SIGNER_KEYSTORE: keystores.join(','),
        SIGNER_PASSWORD_FILE: path.join(folder, 'password'),
      },
    });
    await warmUp(own);
    const mints = Math.ceil(1_000 * signers * scale);
    const run = await mintOverHttp(own, { mints, connections: 50, respondAsync: true });
    const [order] = await query<{ count: number }>(own.db, OUT_OF_ORDER);
    rows.push({ signers, perSecond: Math.round(mints / run.seconds), outOfOrder: order!.count });
    say(`  ${signers} signers: ${rows.at(-1)!.perSecond} a second`);
    await own.stop();
    await node.stop();
  }
  await rm(folder, { recursive: true, force: true });
  return `anvil, 1 s blocks; at most 4 transactions of 10 mints under way for each signer, so that the signers and not the machine are the limit.\n\n${renderTable(
    [
      ['Signers', (row) => row.signers],
      ['Confirmed a second', (row) => row.perSecond],
      ['Mints out of order within their contract', (row) => row.outOfOrder],
    ],
    rows,
  )}`;
}

async function writeKeystore(
  folder: string,
  { address, privateKey }: { address: string; privateKey: string },
): Promise<string> {
  const file = path.join(folder, `${address}.json`);
  await writeFile(
    file,
    await encryptKeystoreJson({ address, privateKey }, PASSWORD, { scrypt: { N: 2 ** 10 } }),
  );
  return file;
}

/** Intents of a contract whose place on the chain (block, nonce, position) is before that of an older one. */
const OUT_OF_ORDER = `
  select count(*)::int as count from (
    select i.number, lag(i.number) over (
             partition by i.contract order by t.block_number, t.signer, t.nonce, array_position(t.intent_numbers, i.number)) as previous
      from intents i
      join transactions t on t.id = any(i.sent_in)
     where i.status = 'confirmed' and t.mined_hash is not null) placed
   where previous > number`;
