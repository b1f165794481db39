import { describeCall } from '../../../api/call.ts';
import { sendCall } from '../../../api/send-call.ts';

const PAGE = 100;
const MAX_PAGES = 100;

export interface Received {
  /** How many NFTs of the collection each account was sent, by its address in small letters. */
  counts: ReadonlyMap<string, number>;
  /** Whether all of them are counted: of a larger collection the newest are. */
  isWhole: boolean;
}

/** Reads who was sent NFTs of a collection, in whatever way they were minted. */
export async function readReceived(address: string): Promise<Received> {
  const counts = new Map<string, number>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
    const { data } = await sendCall(
      describeCall('get', '/v1/collections/{address}/tokens', {
        path: { address },
        query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      }),
    );
    for (const { to } of data.data) counts.set(to.toLowerCase(), (counts.get(to.toLowerCase()) ?? 0) + 1);
    cursor = data.nextCursor;
  }
  return { counts, isWhole: cursor === null };
}
