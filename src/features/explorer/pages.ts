import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { getAddress } from 'ethers';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { showAddress, showSentList } from './address-page.ts';
import { facts, plainAddressLink } from './elements.ts';
import type { Scene } from './elements.ts';
import { CONTENT_POLICY, html, page } from './html.ts';
import type { Html } from './html.ts';
import { readAddress } from './read-address.ts';
import { readTransaction } from './read-transaction.ts';
import { listSent } from './store.ts';
import { showSent, showTransaction } from './transaction-page.ts';

const HASH = /^0x[0-9a-f]{64}$/i;
const TOKEN_ID = /^[1-9]\d{0,77}$/;
const NEWEST = 10;

interface ExplorerParts {
  db: Db;
  chain: Pick<Chain, 'rpc' | 'blockCache' | 'system'>;
}

interface ShownPage {
  status: number;
  title: string;
  content: Html;
}

/**
 * Pages for a chain that has no explorer of its own: rendered here, without a script, from the chain and from what of the
 * database is public anyway. @param publicUrl how clients see the service; the pages lie below its path
 */
export function createExplorer({ publicUrl, ...parts }: ExplorerParts & { publicUrl: string }): Router {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/explorer`;
  const scene: Scene = { base, system: parts.chain.system, tokens: new Map() };
  const send = (response: Response, { status, title, content }: ShownPage): void => {
    response
      .status(status)
      .type('html')
      .send(String(page(base, title, content)));
  };

  const router = Router();
  router.use('/explorer', restrict);

  router.get('/explorer', async ({ query }, response) => {
    const wanted = typeof query['q'] === 'string' ? query['q'].trim() : '';
    if (HASH.test(wanted)) return response.redirect(303, `${base}/tx/${wanted}`);
    const address = parseAddress(wanted);
    if (address) return response.redirect(303, `${base}/address/${getAddress(address)}`);
    send(response, wanted === '' ? await homePage(parts, scene) : NOT_FOUND);
  });
  router.get('/explorer/tx/:hash', async ({ params }: Request<{ hash: string }>, response) => {
    send(response, await transactionPage(parts, scene, params.hash));
  });
  router.get(
    '/explorer/address/:address',
    async ({ params, query }: Request<{ address: string }>, response) => {
      send(response, await addressPage(parts, scene, params.address, query['token']));
    },
  );
  router.use('/explorer', (_request, response) => send(response, NOT_FOUND));

  const answerUnreachable: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) return next(error);
    request.log.warn({ err: error }, 'the explorer cannot read the chain');
    send(response, OUT_OF_REACH);
  };
  router.use('/explorer', answerUnreachable);
  return router;
}

const WHAT_TO_ASK = html`<p>Paste the hash of a transaction or an address into the field above.</p>`;

const NOT_FOUND: ShownPage = { status: 404, title: 'Not found', content: WHAT_TO_ASK };

const OUT_OF_REACH: ShownPage = {
  status: 502,
  title: 'The chain is out of reach',
  content: html`<p>Its node does not answer at the moment. Reload this page in a minute.</p>`,
};

async function homePage({ db, chain }: ExplorerParts, scene: Scene): Promise<ShownPage> {
  const contracts = chain.system.contracts.map(
    ({ name, address }) => [name, plainAddressLink(scene, address)] as const,
  );
  return {
    status: 200,
    title: 'Explorer',
    content: html`${WHAT_TO_ASK}
      <h2>Contracts of this service</h2>
      <section class="card">${facts(contracts)}</section>
      ${showSentList(scene, await listSent(db, null, NEWEST))}`,
  };
}

/** @param asked the hash as it stands in the path */
async function transactionPage(parts: ExplorerParts, scene: Scene, asked: string): Promise<ShownPage> {
  if (!HASH.test(asked)) {
    const content = html`<p>A hash is 0x and 64 hexadecimal digits.</p>`;
    return { status: 404, title: 'Not a transaction hash', content };
  }
  const hash = asked.toLowerCase() as Hex;
  const answer = await readTransaction(parts, hash);
  if ('found' in answer) {
    const content = showTransaction({ ...scene, tokens: answer.found.tokens }, answer.found);
    return { status: 200, title: 'Transaction', content };
  }
  if (answer.sent) {
    return { status: 200, title: 'Transaction', content: showSent(scene, hash, answer.sent) };
  }
  return {
    status: 404,
    title: 'Transaction not found',
    content: html`<p>Neither the chain nor this service knows <code>${hash}</code>.</p>
      <p>When it was sent a moment ago, reload this page soon. It may also belong to another chain.</p>`,
  };
}

/** @param asked the address as it stands in the path. @param token the highest id to show, as it stands in the query */
async function addressPage(
  parts: ExplorerParts,
  scene: Scene,
  asked: string,
  token: unknown,
): Promise<ShownPage> {
  const address = parseAddress(asked);
  if (!address) {
    const content = html`<p>
      An address is 0x and 40 hexadecimal digits. In mixed case it carries a checksum (EIP-55), which finds
      mistyped letters.
    </p>`;
    return { status: 404, title: 'Not an address', content };
  }
  const highest = typeof token === 'string' && TOKEN_ID.test(token) ? BigInt(token) : null;
  const shown = await readAddress(parts, address, highest);
  if (shown) return { status: 200, ...showAddress({ ...scene, tokens: shown.tokens }, shown) };
  return {
    status: 404,
    title: 'Nothing at this address',
    content: html`<p>
        Nothing is known of <code>${getAddress(address)}</code>: it has no code and no ether, and never sent a
        transaction.
      </p>
      <p>It may own tokens all the same; a wallet shows them.</p>`,
  };
}

const restrict: RequestHandler = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', CONTENT_POLICY);
  next();
};

/** An address in any case; null when it is none, or mistyped. */
function parseAddress(text: string): Hex | null {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return null;
  try {
    return getAddress(/[a-f]/.test(text) ? text : text.toLowerCase()).toLowerCase() as Hex;
  } catch {
    return null;
  }
}
