import { formatEther } from 'ethers';
import { Router } from 'express';
import type { Request, Response } from 'express';
import { presentAddress } from '../../chain/address.ts';
import { describeRevert, decodeExecuted } from '../../chain/contracts.ts';
import type { Log } from '../../chain/contracts.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { System } from '../../chain/system-contracts.ts';
import type { Hex } from '../../db/bytes.ts';
import { html, page } from './html.ts';
import type { Html } from './html.ts';

interface ChainTransaction {
  hash: Hex;
  from: Hex;
  to: Hex | null;
  nonce: Hex;
  value: Hex;
  input: Hex;
  blockNumber: Hex | null;
}

interface ChainReceipt {
  status: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
  blockNumber: Hex;
  logs: Log[];
}

/** Pages that show a transaction of a chain that has no explorer of its own. Server-rendered, without a script. */
export function createExplorer({ rpc, system }: { rpc: Rpc; system: System }): Router {
  const router = Router();
  router.get('/explorer', (_request, response) => {
    send(response, 200, page('Explorer', html`<p>Ask for a transaction: <code>/explorer/tx/0x…</code></p>`));
  });
  router.get('/explorer/tx/:hash', async (request: Request<{ hash: string }>, response) => {
    const { hash } = request.params;
    if (!/^0x[0-9a-f]{64}$/i.test(hash)) {
      send(
        response,
        404,
        page('Not a transaction hash', html`<p>A hash is 0x and 64 hexadecimal digits.</p>`),
      );
      return;
    }
    const [transaction, receipt] = await Promise.all([
      rpc.call<ChainTransaction | null>('eth_getTransactionByHash', [hash]),
      rpc.call<ChainReceipt | null>('eth_getTransactionReceipt', [hash]),
    ]);
    if (!transaction) {
      const words = html`<p>The chain does not know <code>${hash}</code>. It may not have arrived yet.</p>`;
      send(response, 404, page('Transaction not found', words));
      return;
    }
    send(response, 200, page('Transaction', showTransaction(transaction, receipt, system)));
  });
  return router;
}

const send = (response: Response, status: number, body: Html): void => {
  response.status(status).type('html').send(String(body));
};

function showTransaction(transaction: ChainTransaction, receipt: ChainReceipt | null, system: System): Html {
  const rows: [string, Html][] = [
    ['Hash', html`<code>${transaction.hash}</code>`],
    ['Status', html`${statusOf(receipt)}`],
    ['Block', html`${receipt ? BigInt(receipt.blockNumber) : 'none yet'}`],
    ['From', html`<code>${presentAddress(transaction.from)}</code>`],
    [
      'To',
      transaction.to
        ? html`<code>${presentAddress(transaction.to)}</code> ${nameOf(transaction.to, system)}`
        : html`a new contract`,
    ],
    ['Nonce', html`${BigInt(transaction.nonce)}`],
    ['Value', html`${formatEther(transaction.value)} ether`],
    ...(receipt
      ? [
          ['Gas used', html`${BigInt(receipt.gasUsed)}`] as [string, Html],
          [
            'Fee',
            html`${formatEther(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice))} ether`,
          ] as [string, Html],
        ]
      : []),
    ['Calldata', html`${(transaction.input.length - 2) / 2} bytes`],
  ];
  const intents = receipt ? [...decodeExecuted(receipt.logs, system.operator)] : [];
  return html`<table>
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th>${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </table>
    ${intents.length > 0 ? html`<h2>${intents.length === 1 ? 'One intent' : `${intents.length} intents`}</h2>` : ''}
    ${
      intents.length > 0
        ? html`<table>
            <tr>
              <th>Number</th>
              <th>Outcome</th>
            </tr>
            ${intents.map(
              ([number, { ok, returnData }]) =>
                html`<tr>
                  <td>${number}</td>
                  <td>${ok ? 'done' : describeRevert(returnData, []).message}</td>
                </tr>`,
            )}
          </table>`
        : ''
    }`;
}

const statusOf = (receipt: ChainReceipt | null): string => {
  if (!receipt) return 'waiting for a block';
  return BigInt(receipt.status) === 1n ? 'mined' : 'reverted';
};

const nameOf = (address: Hex, system: System): string =>
  system.contracts.find((contract) => contract.address === address.toLowerCase())?.name ?? '';
