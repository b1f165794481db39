import { FAVICON, html, page } from '../html.ts';
import type { Html } from '../html.ts';
import { firstMint } from '../first-mint.ts';
import { STYLE } from './style.ts';

/** What the pages say of this installation. */
export interface Installation {
  /** How clients see the service, without a slash at its end. */
  publicUrl: string;
  /** The service's own pages or another explorer. */
  explorerUrl: string;
  chainId: bigint;
  network: 'test' | 'main';
}

const MARK: Html = { markup: FAVICON.replace('<svg ', '<svg class="mark" aria-hidden="true" ') };

/** `GET /` for a browser: what this is, where to go from here, and a first mint to paste. */
export function homePage(installation: Installation): string {
  const { publicUrl, explorerUrl } = installation;
  return String(
    page(
      'Mintmark',
      STYLE,
      html`<main>
          <section class="hero">
            ${MARK}
            <h1>Tokens over HTTP, exactly once.</h1>
            <p class="lead">
              Mintmark deploys and manages <span>ERC-20</span> and <span>ERC-721</span> tokens for you. A
              request that was accepted has one effect on the chain, or none and its quota given back,
              whatever crashes in between.
            </p>
            <nav>
              <a class="first" href="console">Open the console</a>
              <a href="docs">Read the API</a>
              <a href="${explorerUrl}">Explorer</a>
              <a href="#first-mint">A first mint</a>
            </nav>
          </section>
          <section class="facts">
            <div>
              <h2>Safe to retry</h2>
              <p class="quiet">
                Send an <code>Idempotency-Key</code>. The same request with the same key never has a second
                effect.
              </p>
            </div>
            <div>
              <h2>Bounded on the chain</h2>
              <p class="quiet">
                Caps, limits a day and closed mints are in the contracts, where no key of this service can
                lift them.
              </p>
            </div>
            <div>
              <h2>Yours to leave with</h2>
              <p class="quiet">
                Deploy with your wallet as owner, and take the contract along whenever you wish.
              </p>
            </div>
          </section>
          <h2 id="first-mint">A first mint</h2>
          <p class="quiet">
            You need an invite code of whoever runs this service. Then it takes a minute in a terminal:
          </p>
          <ol>
            <li>Register with the code.</li>
            <li>Sign in for an access token.</li>
            <li>Deploy a token.</li>
            <li>Mint.</li>
          </ol>
          <pre tabindex="0"><code>INVITE=your-invite-code
${firstMint(publicUrl, "'$INVITE'")}</code></pre>
          <p class="quiet">
            The answer has the hash of the transaction and a link to its page. Everything else is in
            <a href="docs">the API</a>, where each operation can be tried from the page.
          </p>
        </main>
        ${footer(installation)}`,
      'Deploys and manages ERC-20 and ERC-721 tokens over HTTP, exactly once: API, console and explorer.',
    ),
  );
}

function footer({ explorerUrl, chainId, network }: Installation): Html {
  return html`<footer>
    <a href="console">Console</a>
    <a href="docs">API</a>
    <a href="${explorerUrl}">Explorer</a>
    <a href="openapi.yaml">openapi.yaml</a>
    <a href="openapi.json">openapi.json</a>
    <a href="llms.txt">llms.txt</a>
    <span class="quiet">Chain ${chainId}, ${network} network</span>
  </footer>`;
}
