/** What styles that scripts add have to carry, by the Content-Security-Policy of this answer; empty in development. */
export function readNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
