import { formatUnits } from 'ethers';
import { presentAddress } from '../../chain/address.ts';
import type { Decoded, Field, Value } from '../../chain/abi/decode.ts';
import type { System } from '../../chain/system/system-contracts.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { Hex } from '../../lib/hex.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import type { KnownToken } from './store.ts';
import { showBytesAsText, showText } from './text.ts';

/** What a page needs to name the addresses on it. */
export interface Scene {
  /** Path of the explorer. */
  base: string;
  system: System;
  tokens: ReadonlyMap<Hex, KnownToken>;
}

/** Items of one list, and bytes, that are shown; a batch may have hundreds. */
const MAX_ITEMS = 25;
const MAX_BYTES = 64;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const KINDS = ['', '(number)', '(yes or no)'];

/** A name and a value. */
export type Row = readonly [string, Html | string];

/** A table of names and values. */
export function facts(rows: readonly Row[], style = ''): Html {
  return html`<dl class="facts ${style}">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export function badge(text: string, tone: 'good' | 'bad' | 'mild' | '' = ''): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A moment, to the second. */
export function time(moment: Date): Html {
  const text = moment.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

export function transactionLink({ base }: Pick<Scene, 'base'>, hash: Hex): Html {
  return html`<a href="${base}/tx/${hash}"><code>${hash}</code></a>`;
}

/** A hash or an address as people compare them: its beginning and its end. */
function shorten(hex: string): string {
  return `${hex.slice(0, 8)}…${hex.slice(-6)}`;
}

/** The link of a transaction in a list, where its whole hash would be in the way. */
export function briefTransactionLink({ base }: Pick<Scene, 'base'>, hash: Hex): Html {
  return html`<a href="${base}/tx/${hash}"><code class="short">${shorten(hash)}</code></a>`;
}

const thousands = new Intl.NumberFormat('en');

/** A number with separators of thousands, such as gas. */
export function count(value: bigint): string {
  return thousands.format(value);
}

/** Units in whole ones, such as 1,234.5. */
function inWhole(units: bigint, decimals: number): string {
  const [whole, fraction] = formatUnits(units, decimals).split('.') as [string, string?];
  return `${count(BigInt(whole))}${fraction === undefined || fraction === '0' ? '' : `.${fraction}`}`;
}

/** An amount of wei in ether. */
export function ether(wei: bigint): string {
  return `${inWhole(wei, 18)} ether`;
}

/** What we call a contract; undefined for any that is not ours. Text of a token is yet to be escaped. */
export function nameOf({ system, tokens }: Scene, address: Hex): string | undefined {
  const token = tokens.get(address);
  if (token) return showText(token.name);
  return system.contracts.find((contract) => contract.address === address)?.name;
}

/** An address as a link to its page. */
export function plainAddressLink({ base }: Pick<Scene, 'base'>, address: Hex): Html {
  const shown = presentAddress(address);
  return html`<a href="${base}/address/${shown}"><code>${shown}</code></a>`;
}

/** A contract by its name alone; an address without one by its ends. */
export function briefAddressLink(scene: Scene, address: Hex): Html {
  const shown = presentAddress(address);
  const name = nameOf(scene, address);
  return html`<a href="${scene.base}/address/${shown}"
    >${name === undefined ? html`<code class="short">${shorten(shown)}</code>` : html`<bdi>${name}</bdi>`}</a
  >`;
}

/** An address with the name of what is there. */
export function addressLink(scene: Scene, address: Hex): Html {
  if (address === ZERO_ADDRESS) return html`<span class="quiet">nobody (the zero address)</span>`;
  const name = nameOf(scene, address);
  return html`${name === undefined ? '' : html`<bdi>${name}</bdi> `}${plainAddressLink(scene, address)}`;
}

/** An amount of an ERC-20 in whole tokens, with its symbol. */
export function amountOf(
  amount: bigint,
  { decimals, symbol }: Pick<KnownToken, 'decimals' | 'symbol'>,
): Html {
  return html`${inWhole(amount, decimals)} <bdi>${showText(symbol)}</bdi>`;
}

export function nftLink({ base }: Pick<Scene, 'base'>, collection: Hex, tokenId: bigint): Html {
  return html`<a href="${base}/address/${presentAddress(collection)}?token=${tokenId}">#${tokenId}</a>`;
}

/** Arguments by name. @param contract whose function, event or error it is: amounts are of its token */
export function argumentsOf(scene: Scene, contract: Hex, { fields }: Decoded): Html {
  return fields.length === 0
    ? html``
    : facts(
        fields.map((field) => [field.name, showField(scene, contract, field)]),
        'small',
      );
}

function showField(scene: Scene, contract: Hex, { name, value }: Field): Html {
  const token = scene.tokens.get(contract);
  if (value.kind === 'number' && token) {
    const { hasTokenIds } = TOKEN_STANDARDS[token.type];
    if (hasTokenIds && /^_?tokenId$/.test(name)) return nftLink(scene, contract, value.value);
    if (!hasTokenIds && (name === 'amount' || name === 'value')) return amountOf(value.value, token);
  }
  if (value.kind === 'list') {
    const shown = value.items.slice(0, MAX_ITEMS);
    const rest = value.count - shown.length;
    if (shown.length === 0) return html`<span class="quiet">none</span>`;
    return html`<ol>
        ${shown.map((item) => html`<li>${showField(scene, contract, { name: '', value: item })}</li>`)}
      </ol>
      ${rest > 0 ? html`<span class="quiet">and ${rest} more</span>` : ''}`;
  }
  if (value.kind === 'fields') return showFields(scene, contract, value.fields);
  return showValue(scene, value);
}

/** A structure, as a table; a key of metadata in one line. */
function showFields(scene: Scene, contract: Hex, fields: readonly Field[]): Html {
  const [key, text, kind] = fields.map(({ value }) => value);
  if (fields.map(({ name }) => name).join() === 'key,value,kind' && kind?.kind === 'number') {
    return html`${showValue(scene, key!)}: ${showValue(scene, text!)}
      <span class="quiet">${KINDS[Number(kind.value)] ?? ''}</span>`;
  }
  return argumentsOf(scene, contract, { name: '', fields: [...fields] });
}

function showValue(scene: Scene, value: Value): Html {
  switch (value.kind) {
    case 'number':
      return html`${value.value}`;
    case 'flag':
      return html`${value.value ? 'yes' : 'no'}`;
    case 'address':
      return addressLink(scene, value.value);
    case 'text':
      return value.value === '0x'
        ? html`<span class="quiet">empty</span>`
        : html`<bdi>${showBytesAsText(value.value)}</bdi>`;
    case 'bytes':
      return showBytes(value.value);
    default:
      return html``;
  }
}

/** The beginning of bytes that are no text. */
export function showBytes(bytes: Hex): Html {
  const count = (bytes.length - 2) / 2;
  const shown = bytes.slice(0, 2 + 2 * MAX_BYTES);
  return html`<code>${shown}${count > MAX_BYTES ? '…' : ''}</code>${
      count > MAX_BYTES ? html` <span class="quiet">(${count} bytes)</span>` : ''
    }`;
}
