import { formatUnits } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import {
  addressLink,
  argumentsOf,
  badge,
  briefAddressLink,
  count,
  ether,
  facts,
  showBytes,
  time,
  transactionLink,
} from './elements.ts';
import type { Row, Scene } from './elements.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import type {
  Revert,
  ShownCall,
  ShownEvents,
  ShownExecution,
  ShownTransaction,
} from './shown-transaction.ts';
import type { SentTransaction } from './store.ts';
import { summarise } from './summary.ts';

/** A transaction that the chain knows. */
export function showTransaction(scene: Scene, shown: ShownTransaction): Html {
  const { executions, calls, events, contents } = shown;
  return html`${contents ? html`<p class="lead">${summarise(scene, contents)}</p>` : ''}
    <section class="card">${facts(factsOf(scene, shown))}</section>
    ${
      executions.count > 0
        ? html`<h2>${executions.count === 1 ? 'One call' : `${executions.count} calls`} of the Operator</h2>`
        : ''
    }
    ${executions.shown.map((execution) => showExecution(scene, execution))} ${more(executions, 'calls')}
    ${calls.length > 0 ? html`<h2>${calls.length === 1 ? 'Call' : 'Calls'}</h2>` : ''}
    ${calls.map(
      (call) =>
        html`<article class="card">
          <div class="head"><h3>${titleOf(scene, call)}</h3></div>
          ${showArguments(scene, call)}
        </article>`,
    )}
    ${
      events.count > 0
        ? html`<h2>${executions.count > 0 ? 'Further events' : 'Events'}</h2>
            <section class="card">${showEvents(scene, events, null)}</section>`
        : ''
    }`;
}

function factsOf(scene: Scene, { transaction, mined }: ShownTransaction): Row[] {
  const { hash, from, to, nonce, value, input, gas } = transaction;
  const always: Row[] = [
    ['Hash', html`<code>${hash}</code>`],
    ['Status', mined ? statusOf(mined, BigInt(gas)) : badge('waiting for a block', 'mild')],
    ['Block', mined ? html`${mined.block} <span class="quiet">(${depthOf(mined)})</span>` : 'none yet'],
    ...(mined?.at ? [['Time', time(mined.at)] as const] : []),
    ['From', addressLink(scene, from.toLowerCase() as Hex)],
    [
      'To',
      to
        ? addressLink(scene, to.toLowerCase() as Hex)
        : html`a new
          contract${
            mined?.contractAddress
              ? html`: ${addressLink(scene, mined.contractAddress.toLowerCase() as Hex)}`
              : ''
          }`,
    ],
    ['Nonce', html`${BigInt(nonce)}`],
  ];
  const fees = mined
    ? ([
        ['Gas used', html`${count(mined.gasUsed)} <span class="quiet">of ${count(BigInt(gas))}</span>`],
        ['Gas price', `${formatUnits(mined.gasPrice, 'gwei')} gwei`],
        ['Fee', ether(mined.gasUsed * mined.gasPrice)],
      ] as const)
    : ([['Gas limit', count(BigInt(gas))]] as const);
  return [
    ...always,
    ...fees,
    ...(BigInt(value) > 0n ? [['Value', ether(BigInt(value))] as const] : []),
    ['Calldata', `${count(BigInt((input.length - 2) / 2))} bytes`],
  ];
}

/** A final page is shown again as it is: it does not count. */
function depthOf({ isFinal, confirmations }: NonNullable<ShownTransaction['mined']>): string {
  if (isFinal) return 'final';
  return `${confirmations} ${confirmations === 1n ? 'confirmation' : 'confirmations'}`;
}

function statusOf({ succeeded, revert, gasUsed }: NonNullable<ShownTransaction['mined']>, gas: bigint): Html {
  if (succeeded) return badge('mined', 'good');
  const reason = revert
    ? reasonOf(revert)
    : gasUsed === gas
      ? html`it used up its gas`
      : html`<span class="quiet">the node does not say why</span>`;
  return html`${badge('reverted', 'bad')} ${reason}`;
}

/** Errors carry addresses and numbers only, or text that is escaped like any other. */
function reasonOf({ data, error }: Revert): Html {
  if (data === '0x') return html`without a reason`;
  if (!error) return html`for a reason that is none of our contracts' ${showBytes(data)}`;
  return html`<strong>${error.name}</strong>`;
}

function showExecution(scene: Scene, execution: ShownExecution): Html {
  const { epoch, intent, gasCap, outcome, target } = execution;
  return html`<article class="card">
    <div class="head">
      <h3>${titleOf(scene, execution)}</h3>
      ${
        outcome === null
          ? badge('no verdict yet', 'mild')
          : outcome.failure
            ? badge('failed', 'bad')
            : badge('done', 'good')
      }
    </div>
    <p class="quiet">Intent ${intent} of epoch ${epoch}, at most ${count(gasCap)} gas</p>
    ${showArguments(scene, execution)}
    ${
      outcome?.failure
        ? html`<h4>Reason</h4>
            <p>${reasonOf(outcome.failure)}</p>
            ${outcome.failure.error ? argumentsOf(scene, target, outcome.failure.error) : ''}`
        : ''
    }
    ${
      outcome && outcome.events.count > 0
        ? html`<h4>Events</h4>
            ${showEvents(scene, outcome.events, target)}`
        : ''
    }
  </article>`;
}

function titleOf(scene: Scene, { target, call, selector }: ShownCall): Html {
  return html`${call ? call.name : html`unknown function <code>${selector}</code>`} on
  ${briefAddressLink(scene, target)}`;
}

function showArguments(scene: Scene, { target, call }: ShownCall): Html {
  return call ? argumentsOf(scene, target, call) : html``;
}

/** @param expected whose events need no name */
function showEvents(scene: Scene, events: ShownEvents, expected: Hex | null): Html {
  return html`<ul class="plain">
      ${events.shown.map(
        ({ address, event, topic }) =>
          html`<li>
            ${event ? html`<strong>${event.name}</strong>` : html`Unknown event <code>${topic ?? ''}</code>`}
            ${address === expected ? '' : html`of ${briefAddressLink(scene, address)}`}
            ${event ? argumentsOf(scene, address, event) : ''}
          </li>`,
      )}
    </ul>
    ${more(events, 'events')}`;
}

function more({ shown, count }: { shown: readonly unknown[]; count: number }, what: string): Html {
  return count > shown.length ? html`<p class="quiet">and ${count - shown.length} more ${what}</p>` : html``;
}

/** What became of a hash that the chain does not know. */
function fateOf({ status, hash: inForce }: SentTransaction, hash: Hex): string {
  if (status === 'displaced') {
    return 'A transaction of somebody else took its nonce, so it will never be mined. Its calls are sent again.';
  }
  if (status === 'open') {
    return inForce === hash
      ? 'It was signed and waits for a block. The node that was asked does not know it yet; the service sends it until it is mined.'
      : 'A later attempt bids more for the same nonce, and waits for a block.';
  }
  return inForce === hash
    ? 'It was mined, but the node that was asked does not know it at the moment.'
    : 'It was mined as another attempt, which bid more for the same nonce.';
}

/** A transaction that this service signed and the chain does not know, at least not by this hash. */
export function showSent(scene: Scene, hash: Hex, sent: SentTransaction): Html {
  const rows = [
    ['Hash', html`<code>${hash}</code>`],
    ['From', addressLink(scene, sent.signer)],
    ['Nonce', html`${sent.nonce}`],
    ['Signed', time(sent.createdAt)],
    ...(sent.hash === hash ? [] : [['Attempt in force', transactionLink(scene, sent.hash)] as const]),
  ] as const;
  return html`<p>${fateOf(sent, hash)}</p>
    <section class="card">${facts(rows)}</section>`;
}
