/**
 * Signs in, deploys an ERC-20, mints, waits for the mint's intent, and reads what came of it.
 * Variables: EMAIL, PASSWORD; API; ORDER, which names the purchase: the same one again mints nothing new.
 */
import { randomUUID } from 'node:crypto';
import { createClient } from '@mintmark/client';

const { API: baseUrl = 'http://127.0.0.1:3000', EMAIL: email = '', PASSWORD: password = '' } = process.env;
const { ORDER: order = randomUUID() } = process.env;

const { data: session } = await createClient({ baseUrl }).POST('/auth/signin', { body: { email, password } });
const mintmark = createClient({ baseUrl, token: session.token });

// Resolves when the transaction is confirmed.
const { data: deployed } = await mintmark.POST('/tokens', {
  body: { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' },
  idempotencyKey: `${order}-deploy`,
});
const { address } = deployed.data;

// Resolves as soon as the request is stored; its intent can be followed from here or from elsewhere.
const { intentId } = await mintmark.POST('/tokens/{address}/mint', {
  params: { path: { address } },
  body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1000000000000000000' },
  idempotencyKey: `${order}-mint`,
  wait: false,
});
if (intentId === null) throw new Error('A mint has an intent');
const { transaction } = await mintmark.waitForIntent(intentId);

const { data: token } = await mintmark.GET('/tokens/{address}', { params: { path: { address } } });
console.log(`${token.name} (${token.symbol}) is at ${address}`);
console.log(`minted in ${transaction?.hash}`);
