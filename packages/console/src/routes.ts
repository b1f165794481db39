import { lazy } from 'react';
import type { ComponentType } from 'react';

/** Loads a page when it is opened first. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

/**
 * A line for each page. Parameters stand in the path as `:address`; the page reads them with `useParams` of wouter.
 * The navigation has its own list: `shell/navigation.ts`.
 */
export const ROUTES = [
  { path: '/', page: page(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage') },
  { path: '/keys', page: page(() => import('./pages/keys/keys-page.tsx'), 'KeysPage') },
  { path: '/usage', page: page(() => import('./pages/usage/usage-page.tsx'), 'UsagePage') },
  { path: '/audit', page: page(() => import('./pages/audit/audit-page.tsx'), 'AuditPage') },
  { path: '/profile', page: page(() => import('./pages/profile/profile-page.tsx'), 'ProfilePage') },
  { path: '/tokens', page: page(() => import('./pages/tokens/tokens-page.tsx'), 'TokensPage') },
  {
    path: '/tokens/new',
    page: page(() => import('./pages/tokens/deploy-token-page.tsx'), 'DeployTokenPage'),
  },
  { path: '/tokens/:address', page: page(() => import('./pages/tokens/token-page.tsx'), 'TokenPage') },
  {
    path: '/collections',
    page: page(() => import('./pages/collections/collections-page.tsx'), 'CollectionsPage'),
  },
  {
    path: '/collections/new',
    page: page(() => import('./pages/collections/create-collection-page.tsx'), 'CreateCollectionPage'),
  },
  {
    path: '/collections/:address',
    page: page(() => import('./pages/collections/collection-page.tsx'), 'CollectionPage'),
  },
  {
    path: '/collections/:address/batch',
    page: page(() => import('./pages/collections/batch/batch-page.tsx'), 'BatchPage'),
  },
  {
    path: '/collections/:address/tokens/:tokenId',
    page: page(() => import('./pages/collections/nft-page.tsx'), 'NftPage'),
  },
  { path: '/intents', page: page(() => import('./pages/intents/intents-page.tsx'), 'IntentsPage') },
  { path: '/intents/:id', page: page(() => import('./pages/intents/intent-page.tsx'), 'IntentPage') },
  { path: '/webhooks', page: page(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage') },
  { path: '/webhooks/:id', page: page(() => import('./pages/webhooks/webhook-page.tsx'), 'WebhookPage') },
];
