import type { Mutant } from '../mutant.ts';

export const features: readonly Mutant[] = [
  {
    name: 'a password change without throttle',
    file: 'src/features/accounts/change-password.ts',
    find: 'await throttle.attempt(email, network);',
    replace: '',
    suites: ['test/security/login.test.ts'],
  },
  {
    name: 'IPv6 outside 2000::/3 for webhooks',
    file: 'src/features/webhooks/target.ts',
    find: '? address.match(GLOBAL_UNICAST)',
    replace: '? true',
    suites: ['test/features/webhook-targets.test.ts'],
  },
];
