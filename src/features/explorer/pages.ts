import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { getAddress } from 'ethers';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Db } from '../../db/client.ts';
import { networkOf } from '../../http/client-address.ts';
import { tooManyRequests } from '../../http/rate-limit.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Hex } from '../../lib/hex.ts';
import { SENT_HEADING, showAddress, showSentList } from './address-page.ts';
import { facts, plainAddressLink } from './elements.ts';
import type { Scene } from './elements.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import { CONTENT_POLICY, explorerPage } from './page.ts';
import { createPageCache } from './page-cache.ts';
import type { RenderedPage } from './page-cache.ts';
import { readAddress } from './read-address.ts';
import { readTransaction } from './read-transaction.ts';
import type { ShownTransaction } from './shown-transaction.ts';
import { contractsOf, findKnownTokens, listSent } from './store.ts';
import { showText } from './text.ts';
import { showSent, showTransaction } from './transaction-page.ts';

const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOKEN_ID = /^[1-9]\d{0,77}$/;
const NEWEST = 10;

const MAX_KEPT = { maxPages: 1_000, maxBytes: 32 * 1_024 * 1_024 };
/** A final page changes only by a reorg that is deeper than final, and shows it so late at most. */
const FINAL_SECONDS = 3_600;
/** Logs from which on a page is kept for a moment though it may change: its receipt has megabytes. */
const MANY_LOGS = 1_000;
const HEAVY_SECONDS = 10;

/** What a node answers has no bound of ours: so many pages read the chain at a time, and so many of an address wait. */
const QUEUE = { atATime: 4, inAll: 100, perLine: 16, perOwner: 20 };

interface ExplorerParts {
  db: Db;
  chain: Pick<Chain, 'rpc' | 'blockCache' | 'system' | 'formerOperators'>;
}

interface ShownPage {
  status: number;
  title: string;
  content: Html;
  isFinal?: boolean;
  keepSeconds?: number;
}

/**
 * Pages for a chain that has no explorer of its own: rendered here, without a script, from the chain and from what of
 * the database is public anyway. @param publicUrl how clients see the service; the pages lie below its path
 */
export function createExplorer({ publicUrl, ...parts }: ExplorerParts & { publicUrl: string }): Router {
  const root = new URL(publicUrl).pathname.replace(/\/$/, '');
  const base = `${root}/explorer`;
  const scene: Scene = { base, system: parts.chain.system, tokens: new Map() };
  const transactions = createPageCache(MAX_KEPT);
  const run = createFairQueue({
    ...QUEUE,
    refusal: () => tooManyRequests('Too many pages are opened at once.', 1_000),
  });
  const renderInTurn = (client: string, read: () => Promise<ShownPage>): Promise<RenderedPage> =>
    run({ line: client, owner: client }, async () => renderPage(root, await read()));
  const send = (response: Response, shown: ShownPage): void => sendPage(response, renderPage(root, shown));

  const router = Router();
  router.use('/explorer', restrict);

  router.get('/explorer', async ({ query }, response) => {
    const wanted = typeof query['q'] === 'string' ? query['q'].trim() : '';
    if (HASH.test(wanted)) return response.redirect(303, `${base}/tx/${wanted}`);
    const address = parseAddress(wanted);
    if (address) return response.redirect(303, `${base}/address/${getAddress(address)}`);
    send(response, wanted === '' ? await homePage(parts, scene) : notUnderstood(wanted));
  });
  router.get('/explorer/tx/:hash', async (request: Request<{ hash: string }>, response) => {
    const { hash } = request.params;
    const make = () => renderInTurn(networkOf(request), () => transactionPage(parts, scene, hash));
    sendPage(response, await transactions.open(hash.toLowerCase(), make));
  });
  router.get('/explorer/address/:address', async (request: Request<{ address: string }>, response) => {
    const { params, query } = request;
    const read = () => addressPage(parts, scene, params.address, query['token']);
    sendPage(response, await renderInTurn(networkOf(request), read));
  });
  router.use('/explorer', (_request, response) => send(response, NOT_FOUND));

  const answerUnreachable: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) return next(error);
    request.log.warn({ err: error }, 'the explorer cannot read the chain');
    send(response, OUT_OF_REACH);
  };
  router.use('/explorer', answerUnreachable);
  return router;
}

function renderPage(
  root: string,
  { status, title, content, isFinal = false, keepSeconds = 0 }: ShownPage,
): RenderedPage {
  const body = Buffer.from(String(explorerPage(root, title, content)));
  return { status, body, isFinal, keepMs: keepSeconds * 1_000 };
}

function sendPage(response: Response, { status, body, isFinal }: RenderedPage): void {
  if (isFinal) response.setHeader('Cache-Control', `public, max-age=${FINAL_SECONDS}, immutable`);
  response.status(status).type('html').send(body);
}

const WHAT_TO_ASK = html`<p>Paste the hash of a transaction or an address into the field above.</p>`;

const NOT_FOUND: ShownPage = { status: 404, title: 'Not found', content: WHAT_TO_ASK };

/** @param wanted what was typed into the field */
function notUnderstood(wanted: string): ShownPage {
  const reason = ADDRESS.test(wanted)
    ? html`is mistyped: an address in mixed case carries a checksum (EIP-55), and that of this one is wrong.`
    : html`is neither a transaction (0x and 64 hexadecimal digits) nor an address (0x and 40).`;
  const content = html`<p><bdi>${showText(wanted, 80)}</bdi> ${reason}</p>`;
  return { status: 404, title: 'Not found', content };
}

const OUT_OF_REACH: ShownPage = {
  status: 502,
  title: 'The chain is out of reach',
  content: html`<p>Its node does not answer at the moment. Reload this page in a minute.</p>`,
};

async function homePage({ db, chain }: ExplorerParts, scene: Scene): Promise<ShownPage> {
  const sent = await listSent(db, null, NEWEST);
  const contracts = chain.system.contracts.map(
    ({ name, address }) => [name, plainAddressLink(scene, address)] as const,
  );
  return {
    status: 200,
    title: 'Explorer',
    content: html`${WHAT_TO_ASK}
      <h2>Contracts of this service</h2>
      <section class="card">${facts(contracts)}</section>
      ${
        sent.length > 0
          ? showSentList({ ...scene, tokens: await findKnownTokens(db, contractsOf(sent)) }, sent)
          : html`${SENT_HEADING}
              <p class="quiet">None yet. The first write to the chain appears here.</p>`
      }`,
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
    return { status: 200, title: 'Transaction', content, ...keepingOf(answer.found) };
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

/** How long the page of a transaction may be shown again. */
function keepingOf({ mined }: ShownTransaction): Pick<ShownPage, 'isFinal' | 'keepSeconds'> {
  if (mined?.isFinal) return { isFinal: true, keepSeconds: FINAL_SECONDS };
  return mined && mined.logs > MANY_LOGS ? { keepSeconds: HEAVY_SECONDS } : {};
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
  if (!ADDRESS.test(text)) return null;
  try {
    return getAddress(/[a-f]/.test(text) ? text : text.toLowerCase()).toLowerCase() as Hex;
  } catch {
    return null;
  }
}
