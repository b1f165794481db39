import {
  CreditCardIcon,
  GearIcon,
  GraphIcon,
  HomeIcon,
  ImageIcon,
  KeyIcon,
  LogIcon,
  PulseIcon,
  WebhookIcon,
} from '@primer/octicons-react';
import type { Icon } from '@primer/octicons-react';

interface Place {
  path: string;
  name: string;
  icon: Icon;
}

/** The navigation, in groups. A page that is reached from another one has no line of its own here. */
export const NAVIGATION: readonly (readonly Place[])[] = [
  [{ path: '/', name: 'Overview', icon: HomeIcon }],
  [
    { path: '/tokens', name: 'Tokens', icon: CreditCardIcon },
    { path: '/collections', name: 'Collections', icon: ImageIcon },
    { path: '/intents', name: 'Intents', icon: PulseIcon },
  ],
  [
    { path: '/keys', name: 'API keys', icon: KeyIcon },
    { path: '/webhooks', name: 'Webhooks', icon: WebhookIcon },
    { path: '/usage', name: 'Usage', icon: GraphIcon },
    { path: '/audit', name: 'Audit log', icon: LogIcon },
    { path: '/profile', name: 'Profile', icon: GearIcon },
  ],
];

/** Whether a place of the navigation leads to the page that is open, or above it. */
export function isCurrent(place: string, path: string): boolean {
  return place === path || (place !== '/' && path.startsWith(`${place}/`));
}
