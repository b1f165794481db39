/**
 * What `npm test` leaves to `npm run test:all`. A path is below test/: a folder ends with a slash, a suite is named without
 * its ending. CI and `npm run check` run both parts, and `npm run jest -- NAME` finds a suite of either.
 */
const WALKS = {
  'what lies around the service: nginx, Patroni, PgBouncer, the image, the chart, alerts, their runbook, the handbook':
    ['ops/'],
  'faults of a whole deployment, each at length; `npm run simulate` makes them in virtual time': ['faults/'],
  'what the simulation finds of faults that are put into the code': ['simulation/put-in'],
  'a release after another': ['upgrade/'],
  'packages and programs of others that use the service': [
    'packages/',
    'generators/',
    'sdk',
    'examples',
    'documented-examples',
    'demo',
    'http/mock',
    'security/fuzz',
    'security/abuse',
    'security/login-timing',
    'security/slow-clients',
    'telemetry/tracing',
  ],
  'pages in a browser': [
    'console/account',
    'console/collections',
    'console/copy-as-code',
    'console/forms',
    'console/give-up',
    'console/intent-words',
    'console/intents',
    'console/long-names',
    'console/outage',
    'console/resilience',
    'console/session',
    'console/toasts',
    'console/tokens',
    'console/webhooks',
    'features/docs-browser',
    'features/explorer-browser',
    'features/home-browser',
  ],
  'what pages do and show, without a browser': [
    'console/mint-list-run',
    'features/explorer',
    'features/explorer-address',
  ],
  'worlds and histories by the hundred; a few of them are in `npm test`': [
    'simulation/many-seeds',
    'simulation/more-seeds',
    'simulation/many-histories',
  ],
  'commands of the operator, each a program': ['admin/'],
  'commands of the clone, which start programs': [
    'bootstrap',
    'bootstrap-hashes',
    'mutants',
    'contracts/compile',
    'contracts/console',
    'contracts/peers',
    'start/local-node',
    'embedded/chain',
    'embedded/postgres',
    'embedded/short-life',
    'telemetry/pretty-log',
  ],
};

/**
 * Suites that wait for blocks, leases and stuck times on a real node and a real PostgreSQL, or that load the service, and
 * what of `npm test` shows the same promise.
 */
const LONG_SUITES = {
  'engine/deep-reorg': ['engine/rewind', 'engine/reopened-nonce', 'simulation/worlds'],
  'engine/reorg': ['engine/rewind', 'engine/reopened-nonce', 'simulation/worlds'],
  'engine/epoch-reorgs': ['engine/operator-epoch', 'engine/rewind'],
  'engine/control-after-reorg': ['engine/late-control', 'simulation/worlds'],
  'engine/unsimulated-calls': ['engine/refused-calls', 'simulation/worlds'],
  'engine/lossy-failover': ['engine/lost-commits', 'engine/known-commits', 'engine/races-with-loss'],
  'engine/freed-nonces': ['engine/nonce-gap', 'engine/passed-nonces', 'engine/never-sent'],
  'engine/reader-change': ['engine/missed-event', 'chain/follower'],
  'engine/kill': ['simulation/worlds', 'engine/accept-loss'],
  'engine/webhooks': ['features/webhooks', 'simulation/worlds'],
  'engine/told-verdicts': ['features/webhooks', 'simulation/worlds'],
  'engine/contract-order': ['engine/given-back-calls', 'engine/given-up-calls', 'engine/late-control'],
  'security/login-flood': ['security/login', 'lib/fair-queue'],
  'engine/slow-chain': ['engine/standstill', 'start/readiness'],
  'engine/resend': ['engine/nonce-gap', 'simulation/worlds'],
  'engine/out-of-reach': ['features/deploy-unavailable', 'simulation/worlds'],
  'engine/standby-endpoint': ['chain/rpc-failover', 'simulation/worlds'],
  'engine/unfit-endpoints': ['chain/rpc-failover', 'simulation/worlds'],
  'engine/restored-backup': ['engine/lost-commits', 'engine/accept-loss'],
  'engine/hidden-effects': ['engine/unknown-effects', 'engine/passed-nonces'],
  'engine/repeated-after-loss': ['engine/unknown-effects', 'simulation/worlds'],
  'engine/burnt-database': ['engine/unknown-effects', 'engine/operator-epoch'],
  'engine/epoch-losses': ['engine/operator-epoch', 'engine/accept-loss', 'engine/known-commits'],
  'engine/long-idle': ['engine/missed-event', 'chain/follower'],
  'engine/depth': ['engine/rewind', 'chain/follower'],
  'engine/gas-of-verdicts': ['features/gas-charges', 'features/metering'],
  'features/gas': ['features/gas-charges', 'features/metering'],
  'engine/hostile-receivers': ['engine/forged-reasons', 'engine/refused-calls', 'simulation/worlds'],
  'engine/compact-mints': ['engine/aggregation', 'simulation/worlds'],
  'engine/paused-lanes': ['engine/paused-backlog', 'engine/pause-handed-over', 'engine/operator-epoch'],
  'engine/unaffordable': ['engine/short-of-funds', 'engine/base-fee-jump'],
  'engine/lane-without-funds': ['engine/short-of-funds'],
  'engine/fees': ['engine/base-fee-jump', 'simulation/worlds'],
  'engine/fee-budget': ['engine/base-fee-jump', 'engine/short-of-funds'],
  'engine/fee-models': ['engine/base-fee-jump', 'simulation/worlds'],
  'engine/nonce-taken': ['engine/nonce-gap', 'engine/passed-nonces'],
  'engine/fair-by-gas': ['engine/fair-order'],
  'engine/quarantine': ['engine/quarantine-race', 'simulation/worlds'],
  'engine/reset-node': ['engine/chain-identity', 'simulation/worlds'],
  'engine/on-demand': ['simulation/worlds'],
  'engine/batch-limit': ['simulation/worlds'],
  'engine/database-crash': ['engine/lost-commits', 'simulation/worlds'],
  'features/audit-runs': ['features/audit', 'features/audit-chain'],
  'contracts/descriptor': ['features/rendered-metadata', 'features/token-uri'],
  'features/old-sandbox': ['features/sandbox', 'db/clean-up'],
  'features/webhook-slots': ['features/webhooks'],
  'features/webhook-tls': ['features/webhooks'],
  'engine/graceful-stop': ['http/drain'],
  'start/silent-database': ['db/connection'],
  'engine/faulty-rpc': ['chain/rpc-failover', 'simulation/worlds'],
  'engine/two-operators': ['engine/operator-epoch', 'engine/paused-backlog'],
  'engine/foreign-executor': ['engine/unknown-calls', 'engine/unknown-effects'],
  'contracts/reading-gas': ['features/token-uri'],
  'start/unable-nodes': ['chain/rpc-failover', 'start/readiness'],
};

/** Paths below test/, each a folder or a suite. */
export const SECOND_PART = [...Object.values(WALKS).flat(), ...Object.keys(LONG_SUITES)];

/** Long suites, and those of `npm test` that show their promises too. */
export const PAIRS = Object.entries(LONG_SUITES);

/** Matches the paths of the second part's suites. */
export const secondPart = `/test/(?:${SECOND_PART.map((path) => (path.endsWith('/') ? path : `${path}\\.test\\.ts`)).join('|')})`;
