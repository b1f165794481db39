import { setTimeout as sleep } from 'node:timers/promises';
import { burySigner } from '../../../src/admin/bury.ts';
import { openAdminContext } from '../../../src/admin/open.ts';
import type { AdminContext } from '../../../src/admin/open.ts';
import { retryQuarantined } from '../../../src/admin/quarantine.ts';
import { rotateSigners } from '../../../src/admin/rotate.ts';
import { readConfig } from '../../../src/config.ts';
import { query } from '../../../src/db/client.ts';
import { findQuarantined } from '../../../src/engine/index.ts';
import type { Hex } from '../../../src/lib/hex.ts';
import { poisonNewest, refuseVerdicts } from '../../faults/refused-verdicts.ts';
import { withholdTransactions } from '../../proxies/rpc/nodes.ts';
import type { Layer } from '../../proxies/rpc/endpoint.ts';
import { ADMIN, POOR_SIGNER, SIGNERS, grant, sendAsAdmin } from '../admin.ts';
import { DATABASE_URL, profileFile, startSupervised, stopProcess } from '../service.ts';
import type { ServiceProcess, ServiceSettings } from '../service.ts';
import type { World } from '../world.ts';
import { cutOf } from './fault.ts';
import type { FaultParts, Make } from './fault.ts';

/** After so long somebody tries a command again. */
const AGAIN_MS = 5_000;
/** How long a command waits for the chain. */
const WAIT_SECONDS = 60;

/** Runs `npm run admin -- ...` with the key of the Operator's administrator, again and again until it is done. */
async function administer(
  { world, processes }: FaultParts,
  run: (context: AdminContext) => Promise<boolean>,
): Promise<void> {
  const config = readConfig([], {
    DATABASE_URL,
    RPC_URL: world.nodes.map(({ url }) => url).join(),
    CHAIN_PROFILE: profileFile(processes[0]!.settings),
    SIGNER_KEY: ADMIN.privateKey,
    OPERATOR_ADMIN: ADMIN.address,
  });
  for (;;) {
    try {
      await using context = await openAdminContext(config, () => undefined);
      if (await run(context)) return;
    } catch (error) {
      world.trace.note('admin', 'refused', String(error));
    }
    await sleep(AGAIN_MS);
  }
}

const addressOf = ({ address }: { address: string }): Hex => address.toLowerCase() as Hex;

function bury(parts: FaultParts, signer: Hex): Promise<void> {
  return administer(parts, async (context) => {
    const { json } = await burySigner(context, signer, WAIT_SECONDS);
    return (json as { isBuried: boolean }).isBuried;
  });
}

/** One that has nothing to do with what the engines sign by now. */
const spareFor = (index: number) => SIGNERS[index + 2]!;

/** Those with this key, and their places. */
const holdersOf = (processes: readonly ServiceProcess[], signer: Hex): [number, ServiceSettings][] =>
  processes.flatMap(({ settings }, index): [number, ServiceSettings][] =>
    settings.signers.some((each) => addressOf(each) === signer) ? [[index, settings]] : [],
  );

/** Starts engines again with other keys, which get the role; what they had begun comes to its end before, or not. */
async function restart(
  world: World,
  processes: ServiceProcess[],
  engines: readonly [number, ServiceSettings][],
  { isKilled }: { isKilled: boolean },
): Promise<void> {
  const signers = engines.flatMap(([, settings]) => settings.signers);
  await sendAsAdmin(
    world,
    signers.map(({ address }) => ({ to: world.operator, data: grant(world.operator, address) })),
  );
  for (const [index, settings] of engines) {
    if (isKilled) world.kill(processes[index]!.machine);
    else await stopProcess(world, processes[index]!);
    await startSupervised(world, processes, { index, settings });
  }
}

/** The first key of an engine; null when it cannot pay, which is another fault. */
function keyOf({ processes, which, world }: FaultParts): Hex | null {
  const { settings } = processes[which % processes.length]!;
  const [first] = settings.signers;
  return first === POOR_SIGNER || world.gone.size > 0 ? null : addressOf(first!);
}

/** Faults that end with what a person does at the command line; each may be in one world in ten, beside the others. */
export const OPERATOR_FAULTS = {
  'key rotation': async (parts) => {
    const { world, processes, window } = parts;
    const old = keyOf(parts);
    if (old === null) return;
    window.cuts = [cutOf(null, false)];
    const engines = holdersOf(processes, old);
    const next = spareFor(engines[0]![0]);
    const both = engines.map(([index, settings]): [number, ServiceSettings] => [
      index,
      { ...settings, signers: [...new Set([...settings.signers, next])] },
    ]);
    await restart(world, processes, both, { isKilled: false });
    const pair = { from: old, to: addressOf(next), waitSeconds: WAIT_SECONDS };
    await administer(parts, async (context) => {
      const { json } = await rotateSigners(context, pair);
      return (json as { isComplete: boolean }).isComplete;
    });
    const without = both.map(([index, settings]): [number, ServiceSettings] => [
      index,
      { ...settings, signers: settings.signers.filter((each) => addressOf(each) !== old) },
    ]);
    await restart(world, processes, without, { isKilled: false });
  },
  // What it had sent is in no pool; in half of the draws somebody sends it once more in the end.
  'lost key': async (parts) => {
    const { world, processes, window, which, lastMs } = parts;
    const lost = keyOf(parts);
    if (lost === null) return;
    window.cuts = [cutOf(null, false)];
    const sent: Hex[] = [];
    const withhold = withholdTransactions([lost]);
    const keep: Layer = (request, forward) => {
      if (request.method === 'eth_sendRawTransaction') sent.push(request.params[0] as Hex);
      return withhold(request, forward);
    };
    for (const node of world.nodes) node.layers.add(keep);
    world.lostKeys.add(lost);
    await sleep(lastMs);
    const engines = holdersOf(processes, lost);
    const others = engines.map(([index, settings]): [number, ServiceSettings] => [
      index,
      { ...settings, signers: [spareFor(index)] },
    ]);
    await restart(world, processes, others, { isKilled: true });
    await bury(parts, lost);
    for (const node of world.nodes) node.layers.delete(keep);
    if (which % 2 === 0) return;
    for (const raw of sent)
      await world.atomically(() =>
        world.chain.submit(raw).then(
          () => undefined,
          () => undefined,
        ),
      );
  },
  // The database refuses the verdict of one intent, as a constraint would that nobody thought of.
  'poison verdict': async (parts) => {
    parts.window.cuts = [cutOf(null, false)];
    await administer(parts, async ({ db }) => {
      await refuseVerdicts(db);
      await poisonNewest(db);
      return true;
    });
    await sleep(parts.lastMs);
    await administer(parts, async ({ db }) => {
      await query(db, 'delete from refused');
      return true;
    });
    // One whose verdict was on its way is refused yet.
    await sleep(AGAIN_MS);
    await administer(parts, async (context) => {
      for (const { id } of await findQuarantined(context.db)) await retryQuarantined(context, id);
      return true;
    });
  },
} satisfies Record<string, Make>;
