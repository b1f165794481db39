import type { Page } from 'playwright-core';
import type { ShownTokens } from './shown-tokens.ts';

/** What the pictures show: contracts and keys of the account that is signed in. */
export interface ShownWorld extends ShownTokens {
  /** An ERC-20 token with mints. */
  token: string;
  /** One that the chain refused. */
  failedIntent: string;
  webhook: string;
}

export interface ShownPage {
  /** Of the picture's file. */
  name: string;
  /** Below `/console`. */
  path: (world: ShownWorld) => string;
  /** What stands on the page once it is ready. */
  heading: string | RegExp;
  /** What is done before the picture is taken, such as opening a dialogue. */
  prepare?: (page: Page) => Promise<void>;
}

/** The pages of the console that are shown; that of one NFT is not. */
export const SHOWN_PAGES: readonly ShownPage[] = [
  { name: 'overview', path: () => '/', heading: 'Overview' },
  { name: 'keys', path: () => '/keys', heading: 'API keys' },
  {
    name: 'create-key',
    path: () => '/keys',
    heading: 'API keys',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      const dialogue = page.getByRole('dialog');
      await dialogue.getByLabel('Name').fill('shop backend');
      await dialogue.getByRole('button', { name: 'Copy as code' }).click();
      await dialogue.getByLabel('Code').first().waitFor();
    },
  },
  { name: 'tokens', path: () => '/tokens', heading: 'Tokens' },
  { name: 'deploy-token', path: () => '/tokens/new', heading: 'Deploy a token' },
  { name: 'token', path: ({ bounded }) => `/tokens/${bounded}`, heading: 'Harbour Credit' },
  { name: 'token-metadata', path: ({ art }) => `/tokens/${art}?tab=metadata`, heading: 'Alice Art' },
  {
    name: 'token-controls',
    path: ({ bounded }) => `/tokens/${bounded}?tab=controls`,
    heading: 'Harbour Credit',
  },
  { name: 'collections', path: () => '/collections', heading: 'Collections' },
  { name: 'create-collection', path: () => '/collections/new', heading: 'Create a collection' },
  { name: 'collection', path: ({ collection }) => `/collections/${collection}`, heading: 'Harbour Lights' },
  {
    name: 'mint-nft',
    path: ({ collection }) => `/collections/${collection}?tab=mint`,
    heading: 'Harbour Lights',
    prepare: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('Autumn Fog');
      await page.getByRole('img', { name: 'Picture of Autumn Fog' }).waitFor();
    },
  },
  {
    name: 'mint-list',
    path: ({ untouched }) => `/collections/${untouched}/batch`,
    heading: 'Mint a list',
    prepare: (page) => page.getByRole('button', { name: 'Try it with this example' }).click(),
  },
  { name: 'intents', path: () => '/intents', heading: 'Intents' },
  { name: 'intent', path: ({ failedIntent }) => `/intents/${failedIntent}`, heading: 'Mint' },
  { name: 'webhooks', path: () => '/webhooks', heading: 'Webhooks' },
  { name: 'webhook', path: ({ webhook }) => `/webhooks/${webhook}`, heading: /hooks\/mintmark/ },
  { name: 'usage', path: () => '/usage', heading: 'Usage' },
  { name: 'audit', path: () => '/audit', heading: 'Audit log' },
  { name: 'profile', path: () => '/profile', heading: 'Profile' },
];
