import type { components } from '../../generated/api.ts';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const HOLDERS = ['0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF'];
const PICTURES = ['Blue Hour', 'Low Tide', 'The Ferry', 'Night Watch', 'Lighthouse', 'First Snow', 'Regatta'];

/** What the pictures of tokens and collections show. */
export interface ShownTokens {
  /** An ERC-20 token with every bound. */
  bounded: string;
  /** An ERC-721 token with one NFT. */
  art: string;
  collection: string;
  /** A collection without NFTs. */
  untouched: string;
}

/** Makes them by the API. */
export async function makeShownTokens(
  { url }: Pick<TestService, 'url'>,
  { api, cookie }: Pick<TestAccount, 'api' | 'cookie'>,
): Promise<ShownTokens> {
  const account = createMintmarkClient({ baseUrl: url, cookie });
  const bounded = await deploy(api, {
    type: 'ERC20',
    name: 'Harbour Credit',
    symbol: 'HBC',
    maxSupply: '1000000000000000000000000',
    mintLimitPerDay: '5000000000000000000000',
    recoverable: true,
  });
  await deploy(api, {
    type: 'ERC20',
    name: 'Loyalty Points',
    symbol: 'PTS',
    decimals: 2,
    isPermissionless: false,
  });
  const art = await deploy(api, {
    type: 'ERC721',
    name: 'Alice Art',
    symbol: 'ART',
    maxSupply: '10000',
    royalty: { receiver: HOLDERS[0]!, basisPoints: 500 },
  });
  await api.POST('/tokens/{address}/mint', {
    params: { path: { address: bounded } },
    body: { owner: HOLDERS[0]!, amount: '1500500000000000000000' },
  });
  await api.POST('/tokens/{address}/lock-transfers', { params: { path: { address: bounded } } });
  await api.POST('/tokens/{address}/mint', {
    params: { path: { address: art } },
    body: { owner: HOLDERS[0]! },
  });
  await api.PUT('/tokens/{address}/metadata', {
    params: { path: { address: art } },
    body: {
      tokenId: '1',
      name: 'Blue Hour',
      description: 'The harbour after sunset.',
      attributes: { edition: 7, framed: true, mood: 'calm' },
    },
  });
  const untouched = await createCollection(account, 'Summer Pass', 'PASS');
  const collection = await createCollection(account, 'Harbour Lights', 'HARB', '1000');
  await mintPictures(account, collection);
  return { bounded, art, collection, untouched };
}

async function deploy(
  api: MintmarkClient,
  body: components['schemas']['DeployTokenRequest'],
): Promise<string> {
  const { data } = await api.POST('/tokens', { body });
  if (!data || !('data' in data)) throw new Error('the token was not deployed');
  return data.data.address;
}

async function createCollection(
  account: MintmarkClient,
  name: string,
  symbol: string,
  maxSupply?: string,
): Promise<string> {
  const body = { name, symbol, ...(maxSupply === undefined ? {} : { maxSupply }) };
  const { data } = await account.POST('/v1/collections', { body });
  if (!data || !('address' in data)) throw new Error('the collection was not created');
  return data.address;
}

async function mintPictures(account: MintmarkClient, address: string): Promise<void> {
  const items = PICTURES.map((name, at) => ({
    to: HOLDERS[at % HOLDERS.length]!,
    metadata: { name, description: 'The harbour after sunset.', attributes: { edition: at + 1 } },
  }));
  await account.POST('/v1/collections/{address}/mint/batch', {
    params: { path: { address } },
    body: { items },
  });
}
