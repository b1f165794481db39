import type { Mutant } from '../../mutant.ts';

const TARGETS = ['test/features/webhook-targets.test.ts'];
const SUITES = ['test/features/webhooks.test.ts'];
const SLOTS = ['test/features/webhook-slots.test.ts'];

export const webhooks: readonly Mutant[] = [
  {
    name: 'a change of wallet that is told to the sandbox',
    file: 'src/features/webhooks/wallet.ts',
    find: "environment: 'live'",
    replace: "environment: 'sandbox'",
    suites: SUITES,
  },
  {
    name: 'a wallet told as changed that is the same',
    file: 'src/features/accounts/service.ts',
    find: 'if (before.walletAddress !== address) {',
    replace: '{',
    suites: SUITES,
  },
  {
    name: 'IPv6 outside 2000::/3 for webhooks',
    file: 'src/features/webhooks/target.ts',
    find: '? address.match(GLOBAL_UNICAST)',
    replace: '? true',
    suites: TARGETS,
  },
  {
    name: 'Azure’s wire server for webhooks',
    file: 'src/features/webhooks/target.ts',
    find: ': address.toString() !== AZURE_WIRE_SERVER;',
    replace: ': address.toString() !== null;',
    suites: TARGETS,
  },
  {
    name: 'a name of which one address is private',
    file: 'src/features/webhooks/send.ts',
    find: 'if (!addresses.every(isAllowed)) throw',
    replace: 'if (!addresses.some(isAllowed)) throw',
    suites: TARGETS,
  },
  {
    name: 'a name looked up again for the connection',
    file: 'src/features/webhooks/send.ts',
    find: 'host: address,',
    replace: 'host,',
    suites: TARGETS,
  },
  {
    name: 'http for webhooks',
    file: 'src/features/webhooks/target.ts',
    find: "if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {",
    replace: "if (url.protocol !== 'https:' && url.protocol !== 'http:') {",
    suites: TARGETS,
  },
  {
    name: 'ports of other services for webhooks',
    file: 'src/features/webhooks/target.ts',
    find: 'if (port < 1_024 && port !== 443 && port !== 80)',
    replace: 'if (port < 1)',
    suites: TARGETS,
  },
  {
    name: 'an answer without end',
    file: 'src/features/webhooks/send.ts',
    find: 'if (bytes > MAX_ANSWER_BYTES) break;',
    replace: '',
    suites: TARGETS,
  },
  {
    name: 'a redirect taken for a success',
    file: 'src/features/webhooks/send.ts',
    find: 'status >= 200 && status < 300',
    replace: 'status >= 200 && status < 400',
    suites: SUITES,
  },
  {
    name: 'a signature without the message’s id',
    file: 'src/features/webhooks/deliver.ts',
    find: 'new Webhook(secret).sign(delivery.id, at, delivery.payload)',
    replace: "new Webhook(secret).sign('', at, delivery.payload)",
    suites: SUITES,
  },
  {
    name: 'a rotated secret that no longer signs',
    file: 'src/features/webhooks/deliver.ts',
    find: "[current, ...previous.filter(Boolean)].join(' ')",
    replace: '[current, ...previous.slice(0, 0)].join(" ")',
    suites: SUITES,
  },
  {
    name: 'a receiver that is gone tried again',
    file: 'src/features/webhooks/deliver.ts',
    find: 'const isGone = status === 410;',
    replace: 'const isGone = status === 404;',
    suites: SUITES,
  },
  {
    name: 'a disabled webhook that gets messages',
    file: 'src/features/webhooks/deliver.ts',
    find: 'if (!delivery.enabled) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'messages of the sandbox to live webhooks',
    file: 'src/features/webhooks/delivery-store.ts',
    find: 'join webhooks w on w.account_id = e.account_id and w.environment = e.environment',
    replace: 'join webhooks w on w.account_id = e.account_id',
    suites: SUITES,
  },
  {
    name: 'messages that nobody asked for',
    file: 'src/features/webhooks/delivery-store.ts',
    find: 'and w.deleted_at is null and w.enabled and e.event = any(w.events)',
    replace: 'and w.deleted_at is null and w.enabled',
    suites: SUITES,
  },
  {
    name: 'webhooks of another account',
    file: 'src/features/webhooks/store.ts',
    find: "'w.account_id = :accountId and w.environment",
    replace: "':accountId::uuid is not null and w.environment",
    suites: ['test/features/webhooks.test.ts', 'test/security/matrix.test.ts'],
  },
  {
    name: 'a sealed secret that fits any webhook',
    file: 'src/features/webhooks/secret.ts',
    find: `      const cipher = createCipheriv(CIPHER, keys[0]!, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(webhookId));`,
    replace: `      const cipher = createCipheriv(CIPHER, keys[0]!, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(webhookId.slice(0, 0)));`,
    suites: ['test/start/webhook-keys.test.ts'],
  },
  {
    name: 'one account that takes all workers',
    file: 'src/features/webhooks/deliver.ts',
    find: '(flag === SLOW ? MAX_OF_SLOW : MAX_OF_ACCOUNT)',
    replace: '(flag === SLOW ? MAX_OF_SLOW : 1_000)',
    suites: SLOTS,
  },
  {
    name: 'slots that workers take at the same moment',
    file: 'src/features/webhooks/deliver.ts',
    find: 'if (isFull(accountId)) return',
    replace: 'if (false) return',
    suites: SLOTS,
  },
  {
    name: 'slow receivers that take all workers',
    file: 'src/features/webhooks/deliver.ts',
    find: '(flag === SLOW ? MAX_OF_SLOW : MAX_OF_ACCOUNT)',
    replace: '(flag === SLOW ? 1_000 : MAX_OF_ACCOUNT)',
    suites: SLOTS,
  },
  {
    name: 'a receiver that is slow at each attempt anew',
    file: 'src/features/webhooks/deliver.ts',
    find: 'await markSlow(db, delivery.accountId, SLOW_MINUTES);',
    replace: 'void markSlow;',
    suites: SLOTS,
  },
  {
    name: 'any number of replays',
    file: 'src/features/webhooks/deliveries.ts',
    find: `        await countAsked(owner);
        const delivery = await restartDelivery`,
    replace: `        const delivery = await restartDelivery`,
    suites: SLOTS,
  },
  {
    name: 'any number of test events',
    file: 'src/features/webhooks/deliveries.ts',
    find: `        await countAsked(owner);
        const delivery = await insertTestDelivery`,
    replace: `        const delivery = await insertTestDelivery`,
    suites: SLOTS,
  },
];
