import { createMintmarkClient } from '../../generated/client.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { restoreDatabase } from '../../lab/upgrade/snapshot.ts';
import type { Snapshot, Story } from '../../lab/upgrade/snapshot.ts';

/** Puts chain and database of a snapshot back, and starts this version over them. */
export async function goOn(snapshot: Snapshot) {
  await using opening = new AsyncDisposableStack();
  const anvil = opening.use(await startAnvil());
  await anvil.call('anvil_loadState', [snapshot.state]);
  const { url } = opening.use(await createEmptyDatabase());
  await restoreDatabase(url, snapshot);
  const mintmark = opening.use(await startTestService({ DATABASE_URL: url }, { rpcUrl: anvil.url }));
  const opened = opening.move();
  return { story: snapshot.story, anvil, mintmark, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The account of a snapshot. */
export async function signIn({ url, anonymous }: TestService, { email, password }: Story) {
  const { data } = await anonymous.POST('/auth/signin', { body: { email, password } });
  return { api: createMintmarkClient({ baseUrl: url, token: data!.token }) };
}
