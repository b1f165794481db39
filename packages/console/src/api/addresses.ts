/** Where the console lies, like `https://mint.example/console/`: the document says it, whatever path is open. */
export const CONSOLE_URL = new URL(document.baseURI);

/** Where the service is, without a slash at its end. */
export const SERVICE_URL = new URL('..', CONSOLE_URL).href.replace(/\/$/, '');

/** Path of the console without a slash at its end, for the router. */
export const CONSOLE_PATH = CONSOLE_URL.pathname.replace(/\/$/, '');

export const DOCS_URL = `${SERVICE_URL}/docs`;
export const EXPLORER_URL = `${SERVICE_URL}/explorer`;

/** From which pictures of `ipfs://` are loaded; empty where the operator named none. */
export const IPFS_GATEWAY = document.querySelector<HTMLMetaElement>('meta[name=ipfs-gateway]')?.content ?? '';
