import { readFile } from 'node:fs/promises';
import { Router } from 'express';
import { documentFile, withPublicUrl } from '../../http/document.ts';
import { createTextSender } from '../../http/text-sender.ts';
import { FAVICON, contentPolicy } from '../html.ts';
import { homePage } from './home-page.ts';
import type { Installation } from './home-page.ts';
import { llmsText } from './llms.ts';
import type { ListedContract } from './llms.ts';
import { STYLE } from './style.ts';

/** The paths of these pages. */
export const HOME_PATHS = /^\/(?:favicon\.(?:svg|ico)|llms\.txt|openapi\.json)?$/;

const CONTENT_POLICY = contentPolicy(STYLE);

/** `GET /` for browsers, the contract as JSON, `llms.txt` and the favicon. */
export function createHome(installation: Installation): Router {
  const router = Router();
  const shown = homePage(installation);

  router.get('/', (request, response, next) => {
    // The answer to a program is the one to every unknown path.
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return next();
    response.setHeader('Content-Security-Policy', CONTENT_POLICY);
    response.type('html').send(shown);
  });
  router.get(['/favicon.svg', '/favicon.ico'], (_request, response) => {
    response.type('svg').set('Cache-Control', 'public, max-age=86400').send(FAVICON);
  });

  let contract: Promise<ListedContract> | undefined;
  let text: string | undefined;
  const send = createTextSender('application/json');
  const readContract = () => (contract ??= readServed(installation.publicUrl));
  router.get('/openapi.json', async (request, response) => {
    send(request, response, (text ??= JSON.stringify(await readContract())));
  });
  router.get('/llms.txt', async (_request, response) => {
    response.type('text/plain').send(llmsText(await readContract(), installation));
  });
  return router;
}

/** The contract with the URLs of this service, as `/openapi.yaml` has it. */
async function readServed(publicUrl: string): Promise<ListedContract> {
  return JSON.parse(withPublicUrl(await readFile(documentFile, 'utf8'), publicUrl)) as ListedContract;
}
