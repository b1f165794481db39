import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { getAddress } from 'ethers';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { System } from '../../chain/system/system-contracts.ts';
import type { BlockCache } from '../../chain/rpc/block-cache.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { showAddress, showSentList } from './address-page.ts';
import { facts, plainAddressLink } from './elements.ts';
import { CONTENT_POLICY, html, page } from './html.ts';
import type { Html } from './html.ts';
import { readAddress } from './read-address.ts';
import { readTransaction } from './read-transaction.ts';
import { listSent } from './store.ts';
import { showSent, showTransaction } from './transaction-page.ts';

const HASH = /^0x[0-9a-f]{64}$/i;
const TOKEN_ID = /^[1-9]\d{0,77}$/;
const NEWEST = 10;

/**
 * Pages for a chain that has no explorer of its own: rendered here, without a script, from the chain and from what of the
 * database is public anyway. @param publicUrl how clients see the service; the pages lie below its path
 */
export function createExplorer(parts: {
  rpc: Rpc;
  db: Db;
  blockCache: BlockCache;
  system: System;
  publicUrl: string;
}): Router {
  const { db, system, publicUrl } = parts;
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/explorer`;
  const scene = { base, system, tokens: new Map() };
  const send = (response: Response, status: number, title: string, content: Html): void => {
    response
      .status(status)
      .type('html')
      .send(String(page(base, title, content)));
  };

  const router = Router();
  router.use('/explorer', restrict);

  router.get('/explorer', async (request, response) => {
    const wanted = typeof request.query['q'] === 'string' ? request.query['q'].trim() : '';
    if (HASH.test(wanted)) return response.redirect(303, `${base}/tx/${wanted}`);
    const address = parseAddress(wanted);
    if (address) return response.redirect(303, `${base}/address/${getAddress(address)}`);
    if (wanted !== '') return send(response, 404, 'Not found', WHAT_TO_ASK);
    send(
      response,
      200,
      'Explorer',
      html`${WHAT_TO_ASK}
        <h2>Contracts of this service</h2>
        <section class="card">
          ${facts(system.contracts.map((contract) => [contract.name, plainAddressLink(scene, contract.address)]))}
        </section>
        ${showSentList(scene, await listSent(db, null, NEWEST))}`,
    );
  });

  router.get('/explorer/tx/:hash', async (request: Request<{ hash: string }>, response) => {
    if (!HASH.test(request.params.hash)) {
      return send(
        response,
        404,
        'Not a transaction hash',
        html`<p>A hash is 0x and 64 hexadecimal digits.</p>`,
      );
    }
    const hash = request.params.hash.toLowerCase() as Hex;
    const answer = await readTransaction(parts, hash);
    if ('found' in answer) {
      const shown = showTransaction({ ...scene, tokens: answer.found.tokens }, answer.found);
      return send(response, 200, 'Transaction', shown);
    }
    if (answer.sent) return send(response, 200, 'Transaction', showSent(scene, hash, answer.sent));
    const words = html`<p>Neither the chain nor this service knows <code>${hash}</code>.</p>
      <p>When it was sent a moment ago, reload this page soon. It may also belong to another chain.</p>`;
    send(response, 404, 'Transaction not found', words);
  });

  router.get('/explorer/address/:address', async (request: Request<{ address: string }>, response) => {
    const address = parseAddress(request.params.address);
    if (!address) {
      const words = html`<p>
        An address is 0x and 40 hexadecimal digits. In mixed case it carries a checksum (EIP-55), which finds
        mistyped letters.
      </p>`;
      return send(response, 404, 'Not an address', words);
    }
    const { token } = request.query;
    const highest = typeof token === 'string' && TOKEN_ID.test(token) ? BigInt(token) : null;
    const shown = await readAddress(parts, address, highest);
    if (shown) {
      const { title, content } = showAddress({ ...scene, tokens: shown.tokens }, shown);
      return send(response, 200, title, content);
    }
    const words = html`<p>
        Nothing is known of <code>${getAddress(address)}</code>: it has no code and no ether, and never sent a
        transaction.
      </p>
      <p>It may own tokens all the same; a wallet shows them.</p>`;
    send(response, 404, 'Nothing at this address', words);
  });

  router.use('/explorer', (_request, response) => send(response, 404, 'Not found', WHAT_TO_ASK));

  const answerUnreachable: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) return next(error);
    request.log.warn({ err: error }, 'the explorer cannot read the chain');
    const words = html`<p>Its node does not answer at the moment. Reload this page in a minute.</p>`;
    send(response, 502, 'The chain is out of reach', words);
  };
  router.use('/explorer', answerUnreachable);
  return router;
}

const WHAT_TO_ASK = html`<p>Paste the hash of a transaction or an address into the field above.</p>`;

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
