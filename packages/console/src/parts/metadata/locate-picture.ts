/** Where a picture is, and the URL at which the page may load it; null where it may not. */
export interface Located {
  where: 'chain' | 'ipfs' | 'elsewhere';
  src: string | null;
}

/**
 * @param image `image` of the token's JSON
 * @param gateway URL of a gateway to IPFS; empty for none
 */
export function locatePicture(image: string, gateway: string): Located {
  if (/^data:image\//i.test(image)) return { where: 'chain', src: image };
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(image) ?? [];
  if (path === undefined) return { where: 'elsewhere', src: null };
  return { where: 'ipfs', src: gateway === '' ? null : `${gateway.replace(/\/+$/, '')}/ipfs/${path}` };
}
