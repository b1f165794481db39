import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { ApiProblem, readProblem, unreachable } from '../../packages/console/src/api/problem.ts';
import { keyOf, nameRows } from '../../packages/console/src/pages/collections/batch/name-rows.ts';
import { planList } from '../../packages/console/src/pages/collections/batch/plan-list.ts';
import type { Outcome, Plan } from '../../packages/console/src/pages/collections/batch/plan-list.ts';
import { readList } from '../../packages/console/src/pages/collections/batch/read-list.ts';
import { runRows } from '../../packages/console/src/pages/collections/batch/run-rows.ts';
import type { RunningRow, Way } from '../../packages/console/src/pages/collections/batch/run-rows.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const HOURS = 3_600_000;
const NOW = Date.now();

const recipient = (at: number): string => `0x${'5'.repeat(36)}${String(at).padStart(4, '0')}`;
const SIZE = 12;
const RECIPIENTS = Array.from({ length: SIZE }, (_, at) => recipient(at));
/** Of the list: the tests freeze it. */
const FROZEN = recipient(6);
const LIST = ['to', ...RECIPIENTS].join('\n');

describe('a list of NFTs that is minted row by row', () => {
  let mintmark: TestService;
  let alice: TestAccount;
  let account: MintmarkClient;
  let address: string;
  let browser: Browser;

  beforeAll(async () => {
    mintmark = await startTestService();
    alice = await mintmark.register();
    await setPlan(mintmark, alice, 'PRO');
    account = createMintmarkClient({ baseUrl: mintmark.url, cookie: alice.cookie });
  });

  afterAll(() => mintmark?.stop());

  beforeEach(async () => {
    const { data } = await account.POST('/v1/collections', { body: { name: 'Harbour', symbol: 'HARB' } });
    address = (data as { address: string }).address;
    browser = openBrowser();
  });

  const freeze = async (verb: 'freeze' | 'unfreeze'): Promise<void> => {
    const path = verb === 'freeze' ? '/tokens/{address}/freeze' : '/tokens/{address}/unfreeze';
    const { response } = await alice.api.POST(path, {
      params: { path: { address } },
      body: { account: FROZEN },
    });
    expect(response.status).toBe(200);
  };

  /** What one browser keeps, and the connection that it has. */
  interface Browser {
    outcomes: Map<string, Outcome>;
    /** Answers that are lost on the way from now on. */
    losses: number;
    keys: string[];
  }

  const openBrowser = (): Browser => ({ outcomes: new Map(), losses: 0, keys: [] });

  async function received(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const to of await recipients()) counts.set(to, (counts.get(to) ?? 0) + 1);
    return counts;
  }

  /** To whom each NFT of the collection was minted, newest first. */
  async function recipients(): Promise<string[]> {
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await account.GET('/v1/collections/{address}/tokens', {
        params: { path: { address }, query },
      });
      all.push(...data!.data.map(({ to }) => to.toLowerCase()));
      cursor = data!.nextCursor;
    }
    return all;
  }

  const drop = async (text: string, { round = 1, now = NOW } = {}): Promise<Plan> => {
    const { items, rows, bad } = readList(text);
    expect(bad).toEqual([]);
    return planList(
      nameRows(address, { items, rows }, round),
      [...browser.outcomes.values()],
      await received(),
      now,
    );
  };

  const toRun = ({ open }: Plan): RunningRow[] =>
    open.map((row) => ({ ...row, state: { status: 'waiting' } }));

  const wayOf = (signal = new AbortController().signal): Way => ({
    address,
    signal,
    report: () => undefined,
    pause: () => Promise.resolve(),
    keep: (outcome) => Promise.resolve(void browser.outcomes.set(outcome.name, outcome)),
    send: async ({ item }, key, waits) => {
      browser.keys.push(key);
      const response = await fetch(`${mintmark.url}/v1/collections/${address}/mint`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Cookie: `service_session=${alice.cookie}`,
          'Idempotency-Key': key,
          ...(waits ? {} : { Prefer: 'respond-async' }),
        },
        body: JSON.stringify(item),
      });
      if (browser.losses > 0) {
        browser.losses -= 1;
        throw unreachable();
      }
      if (!response.ok) throw await readProblem(response);
      return { status: response.status, data: await response.json() };
    },
  });

  /** Mints what is open in a list. Returns how many rows failed. */
  const mint = async (text: string): Promise<number> => {
    const rows = toRun(await drop(text));
    expect(await runRows(rows, wayOf())).toBeNull();
    return rows.filter(({ state }) => state.status === 'failed').length;
  };

  const expectEachOnce = async (): Promise<void> => {
    const all = await recipients();
    expect(all).toHaveLength(SIZE);
    expect(new Set(all).size).toBe(SIZE);
  };

  test('leaves a failed row out, and mints it alone once it is corrected', async () => {
    await freeze('freeze');
    expect(await mint(LIST)).toBe(1);
    expect(await recipients()).toHaveLength(SIZE - 1);
    const corrected = LIST.replace(FROZEN, recipient(999));
    const plan = await drop(corrected);
    expect([plan.minted.length, plan.doubtful.length, plan.open.length]).toEqual([SIZE - 1, 0, 1]);
    expect(await mint(corrected)).toBe(0);
    await expectEachOnce();
    expect((await drop(corrected)).minted).toHaveLength(SIZE);
  });

  test('is numbered in its order, and known by its content in whatever form it is saved again', async () => {
    await mint(LIST);
    expect((await recipients()).toReversed()).toEqual(RECIPIENTS);
    const others = [
      LIST.replaceAll('\n', '\r\n'),
      LIST.split('\n').slice(1).toReversed().join('\n'),
      `sep=;\nAmount;Wallet\n${LIST.split('\n')
        .slice(1)
        .map((to) => `1;${to.toUpperCase().replace('0X', '0x')}`)
        .join('\n')}`,
    ];
    for (const text of others) expect((await drop(text)).open).toEqual([]);
    await expectEachOnce();
  });

  test('doubles nothing where the browser forgot everything, and asks where the service forgot it too', async () => {
    await freeze('freeze');
    await mint(LIST);
    browser = openBrowser();
    const corrected = LIST.replace(FROZEN, recipient(999));
    const plan = await drop(corrected);
    expect([plan.minted.length, plan.doubtful.length, plan.open.length]).toEqual([0, SIZE - 1, 1]);
    // Meant all the same: the service knows each row by its key.
    const rows = toRun({ ...plan, open: [...plan.doubtful, ...plan.open] });
    expect(await runRows(rows, wayOf())).toBeNull();
    expect(rows.every(({ state }) => state.status === 'minted')).toBe(true);
    await expectEachOnce();
  });

  test('doubles nothing where answers are lost and the page is closed in the middle', async () => {
    const rows = toRun(await drop(LIST));
    const controller = new AbortController();
    const way = wayOf(controller.signal);
    browser.losses = 3;
    await runRows(rows, {
      ...way,
      send: async (...sent) => {
        if (browser.keys.length === 8) controller.abort();
        return way.send(...sent);
      },
    });
    expect(browser.keys[3]).toBe(browser.keys[0]);
    expect([...browser.outcomes.values()].map(({ status }) => status)).toContain('sent');
    expect(await mint(LIST)).toBe(0);
    await expectEachOnce();
  });

  test('asks before it sends what was sent more than a day ago without an answer', async () => {
    const { open } = await drop(LIST);
    const { row } = open[0]!;
    const to = row.item.to.toLowerCase();
    browser.outcomes.set(row.name, {
      ...{ name: row.name, address, to, status: 'sent', attempt: 0, tokenId: null },
      at: NOW - 24 * HOURS,
    });
    expect((await drop(LIST)).doubtful).toEqual([{ row, attempt: 0 }]);
    expect((await drop(LIST, { now: NOW - 2 * HOURS })).doubtful).toEqual([]);
  });

  test('tries a failed row again with another key, which is the next for whoever tries', async () => {
    await freeze('freeze');
    const rows = toRun(await drop(FROZEN));
    await runRows(rows, wayOf());
    expect(rows[0]!.state.status).toBe('failed');
    await freeze('unfreeze');
    expect(await mint(FROZEN)).toBe(0);
    const { name } = rows[0]!.row;
    expect([browser.keys[0], browser.keys.at(-1)]).toEqual([keyOf(name, 0), keyOf(name, 1)]);
    expect(await recipients()).toEqual([FROZEN]);
  });

  test('is minted a second time only as a round of its own', async () => {
    await mint(FROZEN);
    const again = await drop(FROZEN, { round: 2 });
    expect(again.open).toHaveLength(1);
    expect(await runRows(toRun(again), wayOf())).toBeNull();
    expect(await recipients()).toEqual([FROZEN, FROZEN]);
    expect((await drop(FROZEN, { round: 2 })).minted).toHaveLength(1);
  });

  test('goes on through an outage of any length, and stops where there are no credits', async () => {
    const rows = toRun(await drop(LIST.split('\n').slice(0, 4).join('\n')));
    const way = wayOf();
    let refusals = 100;
    const problem = await runRows(rows, {
      ...way,
      send: async (row, ...rest) => {
        if ((refusals -= 1) > 0) throw unreachable();
        if (row === rows[2]!.row)
          throw new ApiProblem('QUOTA_EXCEEDED', 'No credits are left.', new Response(null, { status: 403 }));
        return way.send(row, ...rest);
      },
    });
    expect(problem?.code).toBe('QUOTA_EXCEEDED');
    expect(rows.map(({ state }) => state.status)).toEqual(['minted', 'minted', 'waiting']);
    expect(await runRows(rows, way)).toBeNull();
    expect(await recipients()).toHaveLength(3);
  });

  test('waits for what is only accepted, and sends no row twice under two keys', async () => {
    const rows = toRun(await drop(LIST));
    let accepted = 0;
    const way = wayOf();
    await runRows(rows, {
      ...way,
      send: async (...sent) => {
        const answer = await way.send(...sent);
        if (answer.status === 202) accepted += 1;
        return answer;
      },
    });
    expect(accepted).toBeGreaterThan(0);
    expect(rows.map(({ state }) => (state.status === 'minted' ? Number(state.tokenId) : null))).toEqual(
      RECIPIENTS.map((_, at) => at + 1),
    );
    expect(new Set(browser.keys).size).toBe(SIZE);
    await expectEachOnce();
  });
});

describe('the name of a row', () => {
  const A = recipient(1);
  const namesOf = (text: string, address = recipient(7), round = 1): string[] =>
    nameRows(address, readList(text), round).map(({ name }) => name);

  test('is that of its content and of which of its like it is', () => {
    const [one, two] = namesOf(`${A}\n${A}`);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(two).not.toBe(one);
    expect(namesOf(`to\n${A}`)).toEqual([one]);
    expect(namesOf(A, recipient(8))).not.toEqual([one]);
    expect(namesOf(A, recipient(7), 2)).not.toEqual([one]);
    expect(namesOf(`to,name\n${A},A`)).not.toEqual([one]);
  });

  test('keeps through another order of the columns, and not through another kind of a value', () => {
    const first = namesOf(`to,name,b,a\n${A},N,1,x`);
    expect(namesOf(`a,b,name,to\nx,1,N,${A}`)).toEqual(first);
    expect(namesOf(`to,name,b:number,a\n${A},N,1,x`)).not.toEqual(first);
  });
});
