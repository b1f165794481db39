import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../src/config.ts';

const KEY = `0x${'11'.repeat(32)}`;
const DATABASE = 'postgres://mint:hunter2@db.example:5432/mintmark';
const RPC = 'https://rpc.example/v1/s3cret';
const ADMIN = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';
/** The smallest configuration with an own database and chain. */
const OWN = { DATABASE_URL: DATABASE, RPC_URL: RPC, SIGNER_KEY: KEY };

function refusal(env: Record<string, string>, argv: string[] = []): string {
  try {
    readConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} was not refused`);
}

test('with nothing set, everything is embedded', () => {
  expect(readConfig([], {})).toEqual({
    role: 'all',
    developing: true,
    host: '127.0.0.1',
    port: 3000,
    dataDir: '.data',
    databaseUrl: null,
    databaseDirectUrl: null,
    databasePoolSize: 10,
    migrateAtStart: true,
    rpcUrls: null,
    embeddedChainPort: 8545,
    network: 'test',
    publicUrl: 'http://127.0.0.1:3000',
    explorer: true,
    explorerUrl: 'http://127.0.0.1:3000/explorer',
    ipfsGateway: null,
    bootstrapInvites: [],
    confirmations: null,
    chainProfile: null,
    waitTimeoutMs: 60_000,
    maxInFlight: 16,
    maxFeesPerDay: null,
    maxBatch: 400,
    metrics: null,
    otlpEndpoint: null,
    serviceName: 'mintmark',
    signerKeystores: [],
    signerPasswordFile: null,
    signerKey: null,
    signerKmsKeys: [],
    operatorAdmin: null,
    operatorAdminIsEoa: false,
    operatorAdminDelay: null,
    auditRetentionDays: null,
    webhookSecretKeyFile: null,
    webhookAllowPrivate: false,
    gasPerDay: { BASIC: 50_000_000, PRO: 500_000_000, PRO_PLUS: 5_000_000_000 },
    requestsPerMinute: 60_000,
    anonymousRequestsPerMinute: 12_000,
    pagesPerMinute: 300,
    loginFailuresPerAccount: 100,
    loginFailuresPerAddress: 300,
    passwordsPerAccount: 30,
    passwordsPerAddress: 120,
    trustProxy: 0,
    corsOrigins: [],
    replica: expect.stringMatching(/.:\d+$/),
    notifySocket: null,
    logLevel: 'info',
    crashAt: null,
    wrongAnswers: 'logged',
  });
});

test('every variable is read', () => {
  const config = readConfig([], {
    ...OWN,
    SIGNER_KEY: '',
    HOST: '0.0.0.0',
    PORT: '8080',
    DATA_DIR: '/var/lib/mintmark',
    DATABASE_DIRECT_URL: 'postgresql://mint@db.example/mintmark',
    RPC_URL: `${RPC} , http://second.example,`,
    EMBEDDED_CHAIN_PORT: '0',
    NETWORK: 'main',
    PUBLIC_URL: 'https://mint.example/',
    EXPLORER: 'off',
    EXPLORER_URL: 'https://scan.example//',
    IPFS_GATEWAY: 'https://ipfs.example//',
    BOOTSTRAP_INVITES: 'one, two,,three',
    CONFIRMATIONS: '12',
    CHAIN_PROFILE: 'base',
    WAIT_TIMEOUT_MS: '0',
    MAX_IN_FLIGHT: '4',
    MAX_FEES_PER_DAY: '1.25',
    DATABASE_POOL_SIZE: '20',
    MAX_BATCH: '5',
    METRICS_HOST: '::',
    METRICS_PORT: '9464',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    OTEL_SERVICE_NAME: 'mint',
    GAS_PER_DAY: 'BASIC=1, PRO_PLUS = 3',
    REQUESTS_PER_MINUTE: '6',
    ANONYMOUS_REQUESTS_PER_MINUTE: '7',
    PAGES_PER_MINUTE: '12',
    LOGIN_FAILURES_PER_ACCOUNT: '8',
    LOGIN_FAILURES_PER_ADDRESS: '9',
    PASSWORDS_PER_ACCOUNT: '10',
    PASSWORDS_PER_ADDRESS: '11',
    TRUST_PROXY: '2',
    CORS_ORIGINS: 'https://app.example, *',
    SIGNER_KEYSTORE: '/keys/a.json,/keys/b.json',
    SIGNER_PASSWORD_FILE: '/keys/password',
    OPERATOR_ADMIN: ADMIN.toLowerCase(),
    OPERATOR_ADMIN_DELAY: '3600',
    OPERATOR_ADMIN_IS_EOA: 'true',
    AUDIT_RETENTION_DAYS: '365',
    WEBHOOK_SECRET_KEY_FILE: '/keys/webhooks',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    MIGRATE_AT_START: 'false',
    LOG_LEVEL: 'debug',
    REPLICA: 'api-1',
    NOTIFY_SOCKET: '/run/systemd/notify',
    NODE_ENV: 'production',
  });
  expect(config).toEqual({
    role: 'all',
    developing: false,
    host: '0.0.0.0',
    port: 8080,
    dataDir: '/var/lib/mintmark',
    databaseUrl: DATABASE,
    databaseDirectUrl: 'postgresql://mint@db.example/mintmark',
    rpcUrls: [RPC, 'http://second.example'],
    embeddedChainPort: 0,
    network: 'main',
    publicUrl: 'https://mint.example',
    explorer: false,
    explorerUrl: 'https://scan.example',
    ipfsGateway: 'https://ipfs.example',
    bootstrapInvites: ['one', 'two', 'three'],
    confirmations: 12,
    chainProfile: 'base',
    waitTimeoutMs: 0,
    maxInFlight: 4,
    maxFeesPerDay: 1_250_000_000_000_000_000n,
    databasePoolSize: 20,
    migrateAtStart: false,
    maxBatch: 5,
    metrics: { host: '::', port: 9_464 },
    otlpEndpoint: 'http://collector.example:4318',
    serviceName: 'mint',
    // On the main network, and as it is there where nothing is named.
    gasPerDay: { BASIC: 1, PRO: 200_000_000, PRO_PLUS: 3 },
    requestsPerMinute: 6,
    anonymousRequestsPerMinute: 7,
    pagesPerMinute: 12,
    loginFailuresPerAccount: 8,
    loginFailuresPerAddress: 9,
    passwordsPerAccount: 10,
    passwordsPerAddress: 11,
    trustProxy: 2,
    corsOrigins: ['https://app.example', '*'],
    signerKeystores: ['/keys/a.json', '/keys/b.json'],
    signerPasswordFile: '/keys/password',
    signerKey: null,
    signerKmsKeys: [],
    operatorAdmin: ADMIN,
    operatorAdminIsEoa: true,
    operatorAdminDelay: 3_600,
    auditRetentionDays: 365,
    webhookSecretKeyFile: '/keys/webhooks',
    webhookAllowPrivate: true,
    replica: 'api-1',
    notifySocket: '/run/systemd/notify',
    logLevel: 'debug',
    crashAt: null,
    wrongAnswers: 'unchecked',
  });
});

describe('defaults that depend on other variables', () => {
  test('the public URL comes from host and port, the explorer URL from the public URL', () => {
    expect(readConfig([], { HOST: 'localhost', PORT: '81' })).toMatchObject({
      publicUrl: 'http://localhost:81',
      explorerUrl: 'http://localhost:81/explorer',
    });
    expect(readConfig([], { PUBLIC_URL: 'https://mint.example' }).explorerUrl).toBe(
      'https://mint.example/explorer',
    );
    expect(readConfig([], { HOST: '::1' }).publicUrl).toBe('http://[::1]:3000');
  });

  test('webhook targets must be public unless a variable allows others', () => {
    expect(readConfig([], {})).toMatchObject({ webhookAllowPrivate: false, webhookSecretKeyFile: null });
    expect(readConfig([], { WEBHOOK_ALLOW_PRIVATE: 'true' }).webhookAllowPrivate).toBe(true);
  });

  test('an empty or blank variable counts as unset', () => {
    expect(readConfig([], { PORT: '', HOST: ' ', DATABASE_URL: '', RPC_URL: ' ', LOG_LEVEL: '' })).toEqual(
      readConfig([], {}),
    );
  });

  test('an RPC_URL without DATABASE_URL keeps the database embedded', () => {
    expect(readConfig([], { RPC_URL: RPC, SIGNER_KEY: KEY })).toMatchObject({
      databaseUrl: null,
      rpcUrls: [RPC],
    });
  });
});

describe('a bad variable stops the start with one sentence that names it', () => {
  test.each([
    ...['-1', '65536', '80.5', '0x50', 'http', '1e3'].map((value) => ['PORT', value]),
    ['EMBEDDED_CHAIN_PORT', '65536'],
    ['HOST', 'not a host'],
    ['HOST', 'http://127.0.0.1'],
    ['DATABASE_URL', 'mysql://db.example/mintmark'],
    ['DATABASE_URL', 'db.example:5432'],
    ['DATABASE_DIRECT_URL', 'db.example'],
    ['DATABASE_URL', 'postgres://a:1,b:c/mintmark'],
    ['DATABASE_URL', 'postgres://a,b/mintmark?target_session_attrs=standby'],
    ['RPC_URL', 'ws://rpc.example'],
    ['RPC_URL', 'https://rpc.example,rpc2.example'],
    ['PUBLIC_URL', 'mint.example'],
    ['PUBLIC_URL', 'ftp://mint.example'],
    ['EXPLORER', 'no'],
    ['EXPLORER', 'off'],
    ['EXPLORER_URL', '//scan.example'],
    ['IPFS_GATEWAY', 'ipfs.example'],
    ['NETWORK', 'mainnet'],
    ['CONFIRMATIONS', '0'],
    ['CONFIRMATIONS', '1001'],
    ['WAIT_TIMEOUT_MS', '600001'],
    ['WAIT_TIMEOUT_MS', '10s'],
    ['MAX_IN_FLIGHT', '0'],
    ['MAX_FEES_PER_DAY', '0'],
    ['MAX_FEES_PER_DAY', '-1'],
    ['MAX_FEES_PER_DAY', '1e3'],
    ['MAX_FEES_PER_DAY', '0.0000000000000000001'],
    ['DATABASE_POOL_SIZE', '1'],
    ['MAX_BATCH', '401'],
    ['METRICS_PORT', '65536'],
    ['METRICS_HOST', 'http://here'],
    ['METRICS_HOST', '127.0.0.1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector.example:4318'],
    ['GAS_PER_DAY', '5'],
    ['GAS_PER_DAY', 'GOLD=5'],
    ['GAS_PER_DAY', 'BASIC=-1'],
    ['GAS_PER_DAY', 'BASIC=1000000000000001'],
    ['GAS_PER_DAY', 'toString=1'],
    ['REQUESTS_PER_MINUTE', '0'],
    ['ANONYMOUS_REQUESTS_PER_MINUTE', '-1'],
    ['PAGES_PER_MINUTE', '0'],
    ['LOGIN_FAILURES_PER_ACCOUNT', 'many'],
    ['LOGIN_FAILURES_PER_ADDRESS', '0'],
    ['PASSWORDS_PER_ACCOUNT', '0'],
    ['PASSWORDS_PER_ADDRESS', 'few'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', 'true'],
    ['CORS_ORIGINS', 'app.example'],
    ['CORS_ORIGINS', 'https://app.example/'],
    ['OPERATOR_ADMIN', '0x12'],
    ['AUDIT_RETENTION_DAYS', '0'],
    ['OPERATOR_ADMIN_DELAY', '-1'],
    ['OPERATOR_ADMIN_DELAY', '31536001'],
    ['OPERATOR_ADMIN', ADMIN.replace('d', 'D')],
    ['OPERATOR_ADMIN', `0x${'0'.repeat(40)}`],
    ['LOG_LEVEL', 'loud'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['SIGNER_KEY', '0x12'],
    ['SIGNER_KEY', KEY.slice(2)],
    ['SIGNER_KEY', `0x${'0'.repeat(64)}`],
    ['SIGNER_KEY', `0x${'f'.repeat(64)}`],
  ])('%s=%s', (name, value) => {
    const sentence = refusal({ ...OWN, [name]: value });
    expect(sentence).toMatch(new RegExp(`^${name}\\b`));
    expect(sentence).not.toContain('\n');
  });

  test.each([
    ['DATABASE_URL', 'mysql://mint:hunter2@db.example'],
    ['RPC_URL', 'ws://rpc.example/s3cret'],
    ['SIGNER_KEY', KEY.slice(4)],
    ['SIGNER_KEY', `0x${'f'.repeat(64)}`],
  ])('the value of %s, which may hold a secret, is not repeated', (name, value) => {
    const sentence = refusal({ ...OWN, [name]: value });
    for (const secret of ['hunter2', 's3cret', value]) expect(sentence).not.toContain(secret);
  });
});

describe('variables that do not go together', () => {
  test('DATABASE_URL without RPC_URL is refused', () => {
    expect(refusal({ DATABASE_URL: DATABASE })).toMatch(/^DATABASE_URL is set but RPC_URL is not/);
  });

  test('EXPLORER=off without EXPLORER_URL is refused: answers would link to nothing', () => {
    expect(refusal({ EXPLORER: 'off' })).toMatch(/^EXPLORER is off but EXPLORER_URL is not set/);
    const own = { EXPLORER: 'off', EXPLORER_URL: 'https://scan.example' };
    expect(readConfig([], own)).toMatchObject({ explorer: false, explorerUrl: 'https://scan.example' });
  });

  test.each(['RPC_URL', 'BOOTSTRAP_INVITES', 'SIGNER_KEYSTORE'])(
    '%s with an empty list is refused',
    (name) => {
      expect(refusal({ ...OWN, [name]: ' , ' })).toBe(`${name} is ",", a list of nothing`);
    },
  );

  test('SIGNER_PASSWORD_FILE without a keystore is refused', () => {
    expect(refusal({ SIGNER_PASSWORD_FILE: '/etc/password' })).toMatch(/set SIGNER_KEYSTORE too/);
  });

  test('DATABASE_DIRECT_URL without DATABASE_URL is refused', () => {
    expect(refusal({ DATABASE_DIRECT_URL: DATABASE })).toMatch(/DATABASE_URL/);
  });

  test('DATABASE_URL may name several hosts', () => {
    const several = 'postgres://u:p@a:1,b:2/mintmark?target_session_attrs=read-write';
    expect(readConfig([], { ...OWN, DATABASE_URL: several }).databaseUrl).toBe(several);
  });

  test('RPC_URL and DATABASE_URL without a signer are refused', () => {
    expect(refusal({ RPC_URL: RPC, DATABASE_URL: DATABASE })).toMatch(/^RPC_URL is set but no signer is/);
    expect(refusal({ RPC_URL: RPC, SIGNER_PASSWORD_FILE: '/keys/password' })).toMatch(/SIGNER_KEYSTORE too/);
  });

  test('without a database of its own and without a signer it is for developing', () => {
    expect(readConfig([], {}).developing).toBe(true);
    expect(readConfig([], { SIGNER_KEY: KEY }).developing).toBe(true);
    expect(readConfig([], { RPC_URL: RPC }).developing).toBe(true);
    expect(readConfig([], { RPC_URL: RPC, SIGNER_KEY: KEY }).developing).toBe(false);
    expect(readConfig([], OWN).developing).toBe(false);
  });

  test('SIGNER_KEYSTORE without SIGNER_PASSWORD_FILE, or with SIGNER_KEY, is refused', () => {
    expect(refusal({ RPC_URL: RPC, SIGNER_KEYSTORE: '/keys/a.json' })).toMatch(/SIGNER_PASSWORD_FILE/);
    expect(
      refusal({ ...OWN, SIGNER_KEYSTORE: '/keys/a.json', SIGNER_PASSWORD_FILE: '/keys/password' }),
    ).toMatch(/SIGNER_KEYSTORE and SIGNER_KEY/);
  });
});

describe('--role', () => {
  test('without it the process has both roles', () => {
    expect(readConfig([], OWN).role).toBe('all');
  });

  test.each(['api', 'engine'] as const)('%s', (role) => {
    expect(readConfig(['--role', role], OWN).role).toBe(role);
  });

  test('the API needs no signer, the engine does', () => {
    const env = { DATABASE_URL: DATABASE, RPC_URL: RPC };
    expect(readConfig(['--role', 'api'], env)).toMatchObject({ role: 'api', signerKey: null });
    expect(refusal(env, ['--role', 'engine'])).toMatch(/no signer/);
  });

  test.each([
    ['nothing', {}],
    ['only RPC_URL', { RPC_URL: RPC, SIGNER_KEY: KEY }],
  ])('a part of the service needs database and chain of its own, and has %s', (_case, env) => {
    for (const role of ['api', 'engine']) {
      const sentence = refusal(env, ['--role', role]);
      expect(sentence).toMatch(/^--role/);
      expect(sentence).toContain('DATABASE_URL');
      expect(sentence).toContain('RPC_URL');
    }
  });

  test.each([
    [['--role']],
    [['--role', 'both']],
    [['--role', 'api', 'x']],
    [['--role=api']],
    [['--port', '3000']],
  ])('unknown options are refused: %j', (argv) => {
    const sentence = refusal(OWN, argv);
    expect(sentence).toContain(argv.join(' '));
    expect(sentence).toContain('--role api');
  });
});

test.each(['p#ss', '5#x', 'p/ss', 'p?ss'])('the password %s in DATABASE_URL is to be escaped', (password) => {
  const given = {
    DATABASE_URL: `postgres://mint:${password}@db.example/mint`,
    RPC_URL: 'http://127.0.0.1:8545',
  };
  const message = refusal(given);
  expect(message).toMatch(/^DATABASE_URL cannot be read: .* write # as %23/);
  expect(message).not.toContain(password);
});

describe('NODE_ENV=production', () => {
  test.each([{}, { PUBLIC_URL: '' }, { PUBLIC_URL: '  ' }])('is refused with %j', (given) => {
    expect(refusal({ ...OWN, ...given, NODE_ENV: 'production' })).toMatch(
      /^NODE_ENV is production but PUBLIC_URL is not set/,
    );
  });

  test('is accepted with PUBLIC_URL', () => {
    const given = { ...OWN, NODE_ENV: 'production', PUBLIC_URL: 'https://mint.example' };
    expect(readConfig([], given).publicUrl).toBe('https://mint.example');
  });
});

describe('CRASH_AT', () => {
  test('names the point at which a test wants the service to be killed, and the pass', () => {
    expect(readConfig([], { CRASH_AT: 'settled' }).crashAt).toEqual({ point: 'settled', pass: 1 });
    expect(readConfig([], { CRASH_AT: 'signed:12' }).crashAt).toEqual({ point: 'signed', pass: 12 });
    for (const value of ['lunch', 'settled:0', 'settled:', 'settled:x'])
      expect(refusal({ CRASH_AT: value })).toMatch(/^CRASH_AT is /);
  });

  test('is refused in production', () => {
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://mint.example' };
    expect(refusal({ CRASH_AT: 'settled', ...production })).toMatch(/^CRASH_AT .*unset it in production$/);
  });
});
