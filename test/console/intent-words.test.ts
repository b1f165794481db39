import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readContractText } from '../../lab/stage/contract-coverage.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { openConsoleSuite } from '../setup/console-suite.ts';
import type { ConsoleSuite } from '../setup/console-suite.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const SHORT = '0x344032…96a2';
const OTHER = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
const OTHER_SHORT = '0x5dad76…0501';
interface Created {
  address: string;
}
interface Contract {
  components: { schemas: { IntentKind: { enum: string[] } } };
}

const NAMED = { name: 'N', description: 'D' };

const chromium = await findProgram('chromium', 'chromium');

(chromium === null ? describe.skip : describe)('what intents did', () => {
  let suite: ConsoleSuite;
  let ask: Ask;
  let key: string;
  let coin: string;
  let lights: string;
  let rights: string;

  beforeAll(async () => {
    suite = await openConsoleSuite(chromium!);
    ask = createAsk(suite.mintmark.url);
    ({ key } = await createKey(suite.mintmark, suite.alice));
    coin = await deploy({ type: 'ERC20', name: 'Harbour', symbol: 'HARB', decimals: 6, recoverable: true });
    await write(`/tokens/${coin}/mint`, { owner: RECIPIENT, amount: '1234500500000' });
    const held = { from: RECIPIENT, amount: '20000000' };
    await write(`/tokens/${coin}/force-transfer`, { ...held, to: OTHER });
    await write(`/tokens/${coin}/force-transfer`, { ...held, to: null });
    await write(`/tokens/${coin}/freeze`, { account: OTHER });
    await write(`/tokens/${coin}/pause`);
    ({ address: lights } = (await write('/v1/collections', { name: 'Lights', symbol: 'شمس' })) as Created);
    await write(`/v1/collections/${lights}/mint`, { to: RECIPIENT });
    await write(`/v1/collections/${lights}/mint/batch`, { items: [{ to: RECIPIENT }, { to: OTHER }] });
    await write(`/v1/collections/${lights}/tokens/2/metadata`, NAMED, 'PUT');
    await write(`/v1/collections/${lights}/metadata`, NAMED, 'PUT');
  });

  /** Asks for everything that can be given up, from its end: on this chain nothing of it can be taken back. */
  const useRights = async (): Promise<void> => {
    rights = await deploy({ type: 'ERC721', name: 'Rights', symbol: 'RGT', isPermissionless: false });
    const token = `/tokens/${rights}`;
    const account = { account: RECIPIENT };
    for (const control of ['approve-account', 'unapprove-account', 'approve-account', 'freeze', 'unfreeze'])
      await write(`${token}/${control}`, account);
    for (const control of ['lock-transfers', 'unlock-transfers', 'pause', 'unpause'])
      await write(`${token}/${control}`);
    await write(`${token}/mint`, { owner: RECIPIENT });
    await write(`${token}/royalty`, { receiver: OTHER, basisPoints: 500 }, 'PUT');
    await write(`${token}/mint-limit`, { perDay: '5' }, 'PUT');
    for (const id of ['?tokenId=1', '']) await write(`${token}/metadata/freeze${id}`, undefined, 'DELETE');
    await write(`${token}/metadata/freeze`, { tokenId: '1' });
    await write(`${token}/metadata/freeze`, {});
    for (const method of ['DELETE', 'POST'] as const) {
      await write(`${token}/close-mint`, undefined, method);
      await write(`${token}/renounce-controls`, undefined, method);
    }
  };

  afterAll(() => suite?.close());

  const write = async (
    path: string,
    body?: object,
    method: 'POST' | 'PUT' | 'DELETE' = 'POST',
  ): Promise<unknown> => {
    const answer = await ask({ token: key }, method, path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const deploy = async (body: object): Promise<string> =>
    ((await write('/tokens', body)) as { data: Created }).data.address;

  /** What the first column of a table says, newest first. */
  const said = async (table: string): Promise<string[]> => {
    const rows = suite.page.getByRole('table', { name: table }).locator('tbody tr');
    await rows.first().waitFor();
    return rows.locator('td:first-child').allInnerTexts();
  };

  const OF_COIN = [
    'Pause HARB',
    'Freeze an account of HARB',
    'Burn 20 HARB',
    `Move 20 HARB to ${OTHER_SHORT}`,
    `Mint 1,234,500.5 HARB to ${SHORT}`,
    'Deploy token HARB',
  ];
  const OF_LIGHTS = [
    'Set metadata of شمس',
    'Set metadata of شمس #2',
    'Mint 2 NFTs of شمس',
    `Mint شمس #1 to ${SHORT}`,
    'Create collection شمس',
  ];

  const OF_RIGHTS = [
    'Renounce controls of RGT',
    'Close mint of RGT',
    'Restore controls of RGT',
    'Reopen mint of RGT',
    'Freeze metadata of RGT',
    'Freeze metadata of RGT #1',
    'Unfreeze metadata of RGT',
    'Unfreeze metadata of RGT #1',
    'Set mint limit of RGT',
    'Set royalty of RGT',
    `Mint RGT #1 to ${SHORT}`,
    'Unpause RGT',
    'Pause RGT',
    'Unlock transfers of RGT',
    'Lock transfers of RGT',
    'Unfreeze an account of RGT',
    'Freeze an account of RGT',
    'Approve an account of RGT',
    'Unapprove an account of RGT',
    'Approve an account of RGT',
    'Deploy token RGT',
  ];

  test('stands in every list in the same words', async () => {
    await suite.open('/intents', 'Intents');
    expect(await said('Intents')).toEqual([...OF_LIGHTS, ...OF_COIN]);
    await suite.open('/', 'Overview');
    expect(await said('What happened last')).toEqual([...OF_LIGHTS, ...OF_COIN].slice(0, 8));
    await suite.open(`/tokens/${coin}`, 'Harbour');
    expect(await said('Recent intents')).toEqual(OF_COIN);
    await suite.open(`/collections/${lights}?tab=activity`, 'Lights');
    expect(await said('Recent intents')).toEqual(OF_LIGHTS);
  });

  test('stands on the page of one too', async () => {
    await suite.open('/intents', 'Intents');
    await suite.page.getByRole('link', { name: 'Mint 1,234,500.5 HARB' }).click();
    await suite.page.getByRole('heading', { level: 1, name: 'Mint' }).waitFor();
    await suite.page.getByText(`Mint 1,234,500.5 HARB to ${SHORT}`).waitFor();
  });

  test('a name is isolated from the letters around it', async () => {
    await suite.open('/intents', 'Intents');
    const names = suite.page.locator('td:first-child bdi', { hasText: 'شمس' });
    await names.first().waitFor();
    expect(await names.count()).toBe(OF_LIGHTS.length);
  });

  test('of every kind', async () => {
    await useRights();
    await suite.open(`/intents?contract=${rights}`, 'Intents');
    await suite.page.getByRole('link', { name: OF_RIGHTS[0]! }).waitFor();
    expect(await said('Intents')).toEqual(OF_RIGHTS);
    const { body } = await ask({ token: key }, 'GET', '/intents?limit=100');
    const { data } = body as { data: { kind: string }[] };
    const { IntentKind } = (parse(readContractText()) as Contract).components.schemas;
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(IntentKind.enum));
  });
});
