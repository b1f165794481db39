import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';

/** No requests of its own, and it can run as root and without a graphics card. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What is awaited may be slow on a busy machine; far less than a test may take, so that a failure names it. */
const TIMEOUT_MS = 300_000;

export interface Browser {
  context: BrowserContext;
  /** Every URL that pages requested, without data URLs. */
  asked: string[];
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
  close(): Promise<void>;
}

/**
 * A headless Chromium with an empty profile of its own.
 * @param program path of Chromium, from `findProgram('chromium', 'chromium')`
 */
export async function openChromium(program: string): Promise<Browser> {
  const context = await chromium.launchPersistentContext('', {
    executablePath: program,
    headless: true,
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const asked: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url())) asked.push(request.url());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
  });
  return { context, asked, complaints, close: () => context.close() };
}
