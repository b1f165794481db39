import type { Chain } from '../chain/chain.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/client.ts';
import type { Engine } from '../engine/index.ts';
import { accountHandlers } from '../features/accounts/handlers.ts';
import { createLoginThrottle } from '../features/accounts/login-throttle.ts';
import { createPasswords } from '../features/accounts/password.ts';
import type { HashCost } from '../features/accounts/password.ts';
import { createAccountService } from '../features/accounts/service.ts';
import type { AccountService } from '../features/accounts/service.ts';
import { createAnswerIntent } from '../features/answer-intent.ts';
import { auditHandlers } from '../features/audit/handlers.ts';
import { collectionHandlers } from '../features/collections/handlers.ts';
import { createCollectionService } from '../features/collections/service.ts';
import { intentHandlers } from '../features/intents/handlers.ts';
import { keyHandlers } from '../features/keys/handlers.ts';
import {
  createKeyService,
  issueAccessToken,
  issueSessionToken,
  renewSession,
  startSession,
} from '../features/keys/service.ts';
import { endSession, revokeCredential, revokeKeys, revokeOthers } from '../features/keys/store.ts';
import { metadataHandlers } from '../features/metadata/handlers.ts';
import { createMetadataService } from '../features/metadata/service.ts';
import { networkHandlers } from '../features/network/handlers.ts';
import { meteringHandlers } from '../features/metering/handlers.ts';
import { createMeteringService } from '../features/metering/service.ts';
import { tokenHandlers } from '../features/tokens/handlers.ts';
import { createTokenService } from '../features/tokens/service.ts';
import { webhookHandlers } from '../features/webhooks/handlers.ts';
import type { SecretBox } from '../features/webhooks/secret.ts';
import { createWebhookService } from '../features/webhooks/service.ts';
import { createWakeLines } from '../features/webhooks/delivery-jobs.ts';
import { notifyWalletChange } from '../features/webhooks/wallet.ts';
import type { AppOptions } from '../http/app.ts';
import type { NamedId } from '../lib/named-id.ts';

interface FeatureParts {
  config: Config;
  db: Db;
  chain: Chain;
  engine: Engine;
  /** Null while the operator has given no key for the secrets of webhooks. */
  box: SecretBox | null;
  namedId: NamedId;
  /** Where it is not the default. */
  passwordCost: HashCost | undefined;
}

/** Puts the features together, each with the few functions of others that it needs, and hands over their handlers. */
export function createFeatures(parts: FeatureParts): {
  accounts: AccountService;
  handlers: AppOptions['handlers'];
} {
  const { config, db, chain, engine, box } = parts;
  const { explorerUrl } = chain;
  const accounts = createAccounts(parts);
  const metering = createMeteringService(db, config);
  const tokens = createTokenService({
    db,
    engine,
    chain,
    walletOf: async (accountId) => (await accounts.read(accountId)).walletAddress,
  });
  const collections = createCollectionService({
    db,
    engine,
    prices: metering.prices,
    planDeployment: tokens.planDeployment,
    creditsLeft: async (accountId) => (await metering.usage(accountId, 'credits')).remaining,
    requireCredits: (accountId, amount) => metering.require(accountId, 'credits', amount),
  });
  const { findOwn, findAny } = tokens;
  const metadata = createMetadataService({ engine, chain, findOwn, findAny });
  const webhooks = createWebhookService({ db, box, allowPrivate: config.webhookAllowPrivate });
  const answerIntent = createAnswerIntent(explorerUrl);
  return {
    accounts,
    handlers: {
      ...accountHandlers({ accounts }),
      ...keyHandlers({ keys: createKeyService(db) }),
      ...meteringHandlers({ metering }),
      ...networkHandlers({
        network: config.network,
        chainId: chain.chainId,
        explorerUrl: config.explorerUrl,
      }),
      ...tokenHandlers({ tokens, answerIntent }),
      ...metadataHandlers({ metadata, answerIntent }),
      ...collectionHandlers({ collections, answerIntent, explorerUrl }),
      ...intentHandlers({ engine, explorerUrl, rpc: chain.rpc }),
      ...webhookHandlers({ webhooks }),
      ...auditHandlers({ db }),
    },
  };
}

function createAccounts({
  config,
  db,
  namedId,
  passwordCost,
}: Pick<FeatureParts, 'config' | 'db' | 'namedId' | 'passwordCost'>): AccountService {
  return createAccountService({
    db,
    namedId,
    issuers: {
      startSession,
      issueAccessToken,
      issueSessionToken,
      renewSession,
      endSession,
      revokeCredential,
      revokeOthers,
      revokeKeys,
    },
    throttle: createLoginThrottle(db, {
      failures: { perAccount: config.loginFailuresPerAccount, perAddress: config.loginFailuresPerAddress },
      passwords: { perAccount: config.passwordsPerAccount, perAddress: config.passwordsPerAddress },
    }),
    passwords: createPasswords(passwordCost),
    notifyWalletChange: (tx, accountId, change) =>
      notifyWalletChange(tx, createWakeLines(db), accountId, change),
  });
}
