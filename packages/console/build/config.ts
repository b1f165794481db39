import path from 'node:path';
import react from '@vitejs/plugin-react-swc';
import type { InlineConfig } from 'vite';

const ROOT = path.join(import.meta.dirname, '..');

/** Where the build lies, which `src/features/console/` serves. */
export const DIST = path.join(ROOT, 'dist');

/** What the service puts a nonce of its own in place of, at each answer. */
export const NONCE = '__NONCE__';

/**
 * How Vite builds and serves `packages/console`. Assets are asked for relative to the document, so that the console
 * works under whatever path it is reached.
 */
export const CONFIG = {
  configFile: false,
  root: ROOT,
  base: './',
  plugins: [react()],
  build: {
    outDir: DIST,
    emptyOutDir: true,
    target: 'es2022',
    // The first browsers with light-dark(): for older ones it would be rewritten into variables that nothing sets.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The first browsers with light-dark(): for older ones it would be rewritten into variables that nothing sets.
    // A picture within a script would need a policy of its own.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
  html: { cspNonce: NONCE },
  logLevel: 'warn',
} satisfies InlineConfig;
