import type { TokenLimits } from '../../chain/abi/bounds.ts';
import type { TokenState } from '../../chain/abi/token.ts';
import { presentAddress } from '../../chain/address.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { Hex } from '../../lib/hex.ts';
import {
  addressLink,
  amountOf,
  badge,
  briefAddressLink,
  briefTransactionLink,
  facts,
  nftLink,
  time,
  transactionLink,
} from './elements.ts';
import type { Row, Scene } from './elements.ts';
import { html } from '../html.ts';
import type { Html } from '../html.ts';
import type { Description } from './picture.ts';
import { NFTS_ON_A_PAGE } from './read-address.ts';
import type { ShownNft, Subject } from './read-address.ts';
import type { Activity } from './store.ts';
import { showBytesAsText, showText } from './text.ts';

/** What the page of a token is called, and what stands on it. @param always the rows of every address */
export function showToken(
  scene: Scene,
  address: Hex,
  always: readonly Row[],
  token: Subject & { kind: 'token' },
): { title: string; content: Html } {
  const { type, details, limits, description, nfts, activity } = token;
  const { label } = TOKEN_STANDARDS[type];
  if (!details) {
    return {
      title: `An ${label} that does not answer`,
      content: html`<section class="card">${facts(always)}</section>`,
    };
  }
  return {
    title: showBytesAsText(details.name) || 'A token without a name',
    content: html`<p class="tags">
        ${badge(label)} ${details.paused ? badge('paused', 'bad') : badge('active', 'good')}
        ${details.transferLocked ? badge('transfers locked', 'mild') : ''}
        ${details.permissioned ? badge('permissioned', 'mild') : badge('permissionless')}
        ${limits ? boundBadges(limits) : ''}
      </p>
      ${description?.picture ? html`<figure class="banner">${pictureOf(description, 'picture of the contract')}</figure>` : ''}
      <section class="card">${facts(tokenRows(scene, always, token))}</section>
      ${description ? showAttributes(description) : ''} ${showGallery(scene, address, nfts, details.supply)}
      ${showActivity(scene, activity)}`,
  };
}

function boundBadges({ mintClosed, recoverable, metadataFrozen }: TokenLimits): Html {
  return html`${mintClosed ? badge('mint closed', 'mild') : ''}
  ${metadataFrozen ? badge('metadata frozen', 'mild') : ''} ${recoverable ? badge('recoverable', 'mild') : ''}`;
}

function tokenRows(scene: Scene, always: readonly Row[], token: Subject & { kind: 'token' }): Row[] {
  const { type, existing, description, deployment } = token;
  const { hasTokenIds } = TOKEN_STANDARDS[type];
  const details = token.details!;
  const symbol = showBytesAsText(details.symbol);
  const amount = (value: bigint): Html =>
    hasTokenIds ? html`${value}` : amountOf(value, { decimals: details.decimals, symbol });
  return [
    always[0]!,
    ['Symbol', html`<bdi>${symbol}</bdi>`],
    ...(description?.description ? [['Description', text(description.description)] as const] : []),
    ...(description?.link ? [['Image', linkAsText(description.link)] as const] : []),
    ['Supply', hasTokenIds ? countOf(details.supply, existing) : amount(details.supply)],
    ...(hasTokenIds ? [] : [['Decimals', String(details.decimals)] as const]),
    ['Owner', addressLink(scene, details.owner)],
    ['Operator', addressLink(scene, details.operator)],
    ['Minting', showMinting(details, token.limits)],
    ...(token.limits ? boundRows(scene, token.limits, amount) : []),
    ...(deployment
      ? ([
          ['Requested', time(deployment.at)],
          ['Deployed in', transactionLink(scene, deployment.hash)],
        ] as const)
      : []),
    always[1]!,
  ];
}

function showMinting({ permissioned }: TokenState, limits: TokenLimits | null): string {
  const forGoodAt = limits?.mintClosedForGoodAt;
  if (forGoodAt)
    return forGoodAt.getTime() <= Date.now()
      ? 'closed for ever'
      : `closed, for good at ${forGoodAt.toISOString()}`;
  return permissioned
    ? 'by owner and operator, to approved accounts alone'
    : 'by owner and operator, to any account';
}

/** The bounds that a token has. @param amount shows an amount, or a number of tokens */
function boundRows(
  scene: Scene,
  { maxSupply, mintLimit, mintableNow, recoverable, royalty }: TokenLimits,
  amount: (value: bigint) => Html,
): Row[] {
  const rows: (Row | null)[] = [
    maxSupply === null ? null : ['Cap', html`${amount(maxSupply)} <span class="quiet">for ever</span>`],
    mintLimit === null
      ? null
      : [
          'Minting by the operator',
          html`at most ${amount(mintLimit)} a day
            <span class="quiet">(${amount(mintableNow ?? 0n)} now)</span>`,
        ],
    recoverable ? ['Holdings', 'owner and operator may move or burn them (ERC-7943)'] : null,
    royalty && ['Royalty', html`${royalty.basisPoints / 100} % to ${addressLink(scene, royalty.receiver)}`],
  ];
  return rows.filter((row) => row !== null);
}

/** How many tokens there are. @param existing null when the contract does not say */
function countOf(minted: bigint, existing: bigint | null): Html {
  const burned = existing !== null && existing < minted ? minted - existing : null;
  return html`${existing ?? minted}${
    burned === null ? '' : html` <span class="quiet">(${minted} minted, ${burned} burned)</span>`
  }`;
}

function text(value: string): Html {
  return html`<bdi>${showText(value, 500)}</bdi>`;
}

/** As text: neither a link nor loaded, since anybody may have chosen the address. */
function linkAsText(link: string): Html {
  return html`<code>${showText(link)}</code>`;
}

function showAttributes({ attributes }: Description): Html {
  if (attributes.length === 0) return html``;
  return html`<h2>Metadata</h2>
    <section class="card">
      ${facts(attributes.map(({ name, value }) => [showText(name), text(value)] as const))}
    </section>`;
}

function pictureOf(description: Description | null, alt: string): Html {
  return description?.picture
    ? html`<img src="${description.picture}" alt="${alt}" />`
    : html`<div class="none">${description?.link ? 'image hosted elsewhere' : 'no picture'}</div>`;
}

function showGallery(scene: Scene, address: Hex, nfts: readonly ShownNft[], minted: bigint): Html {
  const [first] = nfts;
  const last = nfts.at(-1);
  if (!first || !last) return html``;
  const path = `${scene.base}/address/${presentAddress(address)}`;
  const newer = first.tokenId + BigInt(NFTS_ON_A_PAGE);
  return html`<h2>Tokens</h2>
    <section class="gallery">${nfts.map((nft) => showNft(scene, address, nft))}</section>
    <p>
      ${first.tokenId < minted ? html`<a href="${path}?token=${newer}">newer</a>` : ''}
      ${last.tokenId > 1n ? html`<a href="${path}?token=${last.tokenId - 1n}">older</a>` : ''}
    </p>`;
}

function showNft(scene: Scene, address: Hex, { tokenId, owner, description }: ShownNft): Html {
  const name = showText(description?.name ?? '', 60);
  return html`<figure class="card">
    ${owner ? pictureOf(description, `picture of token ${tokenId}`) : html`<div class="none">burned</div>`}
    <figcaption>
      ${nftLink(scene, address, tokenId)} <bdi>${name}</bdi>
      ${owner ? html`<div class="quiet">owned by ${briefAddressLink(scene, owner)}</div>` : ''}
      ${description?.link ? html`<div>image: ${linkAsText(description.link)}</div>` : ''}
      ${(description?.attributes ?? []).map(
        (attribute) =>
          html`<div>
            <span class="quiet"><bdi>${showText(attribute.name, 60)}</bdi>:</span>
            <bdi>${showText(attribute.value, 60)}</bdi>
          </div>`,
      )}
    </figcaption>
  </figure>`;
}

function showActivity(scene: Scene, activity: readonly Activity[]): Html {
  if (activity.length === 0) return html``;
  return html`<h2>Activity through this service</h2>
    <section class="card">
      <ul class="plain">
        ${activity.map(
          ({ kind, status, hash, at }) =>
            html`<li>
              <div class="head">
                <span>${kind.replaceAll('_', ' ')} ${briefTransactionLink(scene, hash)}</span>
                <span>${VERDICTS[status]} <span class="quiet">${time(at)}</span></span>
              </div>
            </li>`,
        )}
      </ul>
    </section>`;
}

const VERDICTS = { confirmed: badge('done', 'good'), failed: badge('failed', 'bad') };
