import { inParallel } from '../../lab/load/load.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';
import type { Attack } from './outcome.ts';
import { ASYNC, checkStatuses, createKey, deploy, gasOf, quiet, showStatuses, withStage } from './stage.ts';
import type { Caller } from './stage.ts';

/** Of plan BASIC on a test network. */
const GAS_PER_DAY = 50_000_000;
/** What a metered unit brings along. */
const GAS_PER_UNIT = 420_000;
/** What a mint may use, with its share of what its transaction costs. */
const MAX_GAS_PER_MINT = 420_000;
const RECEIVER = '0x00000000000000000000000000000000000bad00';
const HOLDER = '0x0000000000000000000000000000000000000abc';

/** Nearly 8 KiB of metadata, which no other write has: about 1,900,000 gas. */
export const heavyMetadata = (index: number) => ({
  name: `${index}`,
  description: `${index}`.padEnd(2_000, 'x'),
  attributes: Object.fromEntries(Array.from({ length: 6 }, (_, key) => [`k${key}`, 'y'.repeat(1_000)])),
});

/** Counts answers by status. */
export function createTally() {
  const statuses: Record<string, number> = {};
  const messages: string[] = [];
  return {
    statuses,
    /** Of refusals. */
    messages,
    add: ({ status, body }: TestAnswer): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      const { message } = (body ?? {}) as { message?: string };
      if (message !== undefined) messages.push(message);
    },
  };
}

/** Metadata writes, which cost neither quota nor credits, with several keys of one account. */
export const freeWrites: Attack = () =>
  withStage({}, async (stage) => {
    const [writes, keys] = [100, 5];
    const own = await stage.register();
    const token = await deploy(stage, own);
    const callers: Caller[] = [];
    while (callers.length < keys) callers.push((await createKey(stage, own))!);
    await quiet(stage);
    const { statuses, messages, add } = createTally();
    const [gas] = await gasOf(stage, async () => {
      await inParallel(writes, 10, async (index) =>
        add(
          await stage.ask(
            callers[index % keys]!,
            'PUT',
            `/tokens/${token}/metadata`,
            heavyMetadata(index),
            ASYNC,
          ),
        ),
      );
      await quiet(stage);
    });
    const others = messages.filter((message) => !/gas of this day/i.test(message));
    return {
      made: `${writes} writes of 8 KB with ${keys} keys: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'gas on the chain, million',
          before: null,
          during: gas / 1_000_000,
          bound: GAS_PER_DAY / 1_000_000,
        },
      ],
      flaws: [
        ...checkStatuses(statuses, [202, 429]),
        ...(others.length > 0 ? [`a refusal does not say gas: ${others[0]}`] : []),
      ],
    };
  });

/** Mints of NFTs to a receiver with this code. */
const mintsTo =
  (code: string): Attack =>
  () =>
    withStage({}, async (stage) => {
      const mints = 60;
      const own = await stage.register();
      const token = await deploy(stage, own, 'ERC721');
      await stage.anvil.call('anvil_setCode', [RECEIVER, code]);
      await quiet(stage);
      const { statuses, add } = createTally();
      const [gas] = await gasOf(stage, async () => {
        await inParallel(mints, 6, async () =>
          add(await stage.ask(own, 'POST', `/tokens/${token}/mint`, { owner: RECEIVER })),
        );
        await quiet(stage);
      });
      const [{ used }, { mintsUsed }] = (await Promise.all([
        stage.ask(own, 'GET', '/stats/gas').then(({ body }) => body),
        stage.ask(own, 'GET', '/stats').then(({ body }) => body),
      ])) as [{ used: number }, { mintsUsed: number }];
      // The deployment is one, and was before.
      const paid = used + (mintsUsed - 1) * GAS_PER_UNIT;
      return {
        made: `${mints} mints: ${showStatuses(statuses)}`,
        figures: [
          {
            what: 'gas a mint, thousand',
            before: null,
            during: gas / mints / 1_000,
            bound: MAX_GAS_PER_MINT / 1_000,
          },
          {
            what: 'gas beyond quota that its account is not charged, thousand',
            ...{ before: null, during: Math.max(0, gas - paid) / 1_000 },
            // Each share of a transaction is rounded.
            bound: mints / 1_000,
          },
        ],
        flaws: checkStatuses(statuses, [200, 429, 502]),
      };
    });

/** Code that accepts an NFT (ERC-721's onERC721Received) when this condition holds, and else burns all its gas. */
function acceptIf(condition: string): string {
  const size = condition.length / 2;
  const byte = (value: number): string => value.toString(16).padStart(2, '0');
  // condition push1 accept jumpi; burn: jumpdest push1 burn jump; accept: jumpdest push4 selector push1 224 shl ...
  // return
  return `0x${condition}60${byte(size + 7)}575b60${byte(size + 3)}565b63150b7a0260e01b5f5260205ff3`;
}

/** Takes the token where gas has no price, as in a simulation without fees. */
export const pricedReceiver = mintsTo(acceptIf('3a15'));

/**
 * Takes the token only where more than 200,000 gas are left, and burns all of it but 100,000: push3 200000 gas gt push1
 * loop jumpi; jumpdest push1 burn jump; loop: jumpdest push3 100000 gas gt push1 loop jumpi; push4 selector push1 224
 * shl ... return.
 */
const GREEDY = '0x62030d405a11600d575b6009565b620186a05a11600d5763150b7a0260e01b5f5260205ff3';

/** Mints of an issuer to receivers that burn what they get: it pays for none of it, and can stop its token always. */
export const burningReceivers: Attack = () =>
  withStage({ variables: { NETWORK: 'main' } }, async (stage) => {
    const [mints, receivers] = [96, 8];
    const issuer = await stage.register();
    const token = await deploy(stage, issuer, 'ERC721');
    const addresses = Array.from({ length: receivers }, (_, index) => RECEIVER.slice(0, -1) + index);
    for (const address of addresses) await stage.anvil.call('anvil_setCode', [address, GREEDY]);
    await quiet(stage);
    const { statuses, add } = createTally();
    const [gas] = await gasOf(stage, async () => {
      await inParallel(mints, 6, async (index) =>
        add(
          await stage.ask(issuer, 'POST', `/tokens/${token}/mint`, { owner: addresses[index % receivers] }),
        ),
      );
      await quiet(stage);
    });
    const { used } = (await stage.ask(issuer, 'GET', '/stats/gas')).body as { used: number };
    const mint = await stage.ask(issuer, 'POST', `/tokens/${token}/mint`, { owner: HOLDER });
    const pause = await stage.ask(issuer, 'POST', `/tokens/${token}/pause`);
    return {
      made: `${mints} mints to ${receivers} receivers: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'gas a mint, thousand',
          ...{ before: null, during: gas / (statuses['200'] ?? Number.NaN) / 1_000 },
          bound: MAX_GAS_PER_MINT / 1_000,
        },
        {
          what: 'gas of the day of their issuer, thousand',
          ...{ before: null, during: used / 1_000, bound: 0 },
        },
      ],
      flaws: [
        ...checkStatuses(statuses, [200]),
        ...(pause.status === 200 ? [] : [`a pause is answered ${pause.status}`]),
        ...(mint.status === 429 ? ['a mint is answered 429'] : []),
      ],
    };
  });

export const greedyReceiver = mintsTo(GREEDY);

/** Takes the token in every second block: no simulation can tell. */
export const fickleReceiver = mintsTo(acceptIf('43600116'));
