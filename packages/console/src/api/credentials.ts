/** What a request to a path of the contract is sent with. */
export type Credential = 'none' | 'session' | 'accessToken' | 'sandboxKey';

const PUBLIC =
  /^\/(health|ready|network|openapi\.yaml|tokenURI\/.*|auth\/signin|v1\/auth\/(register|login))$/;
const TOKEN_API = /^\/(tokens|me|stats)(\/|$)/;
const SANDBOX = /^\/(v1\/collections|v1\/webhooks|intents)(\/|$)/;

/**
 * Chooses among the credentials that the contract lists for the operation: the session cookie wherever it is enough,
 * the access token for the token API, and in the sandbox its key for everything that knows a sandbox.
 * @param path below the service, such as `/tokens/0x…`
 */
export function credentialOf(path: string, isSandbox: boolean): Credential {
  if (PUBLIC.test(path)) return 'none';
  if (TOKEN_API.test(path)) return 'accessToken';
  return isSandbox && SANDBOX.test(path) ? 'sandboxKey' : 'session';
}
