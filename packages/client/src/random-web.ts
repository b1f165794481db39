/**
 * Random bytes of browsers, workers and other runtimes. Unlike `randomUUID` it is there on pages without https, too.
 */
export const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));
