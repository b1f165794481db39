import { parseAddress } from '../../chain/address.ts';
import { TOKEN_LIMITS } from '../../chain/abi/bounds.ts';
import type { TokenLimits } from '../../chain/abi/bounds.ts';
import { TOKEN_STATE } from '../../chain/abi/token.ts';
import type { TokenState } from '../../chain/abi/token.ts';
import type { View } from '../../chain/abi/view.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Db } from '../../db/client.ts';
import type { Engine, Intent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { askMint } from '../intent-kinds.ts';
import { createChanges } from '../token-changes.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import { createBoundVerbs } from './bounds.ts';
import type { BoundVerbs } from './bounds.ts';
import { createControls } from './controls.ts';
import type { ApplyControl } from './controls.ts';
import { createTokenFinder } from './find-token.ts';
import type { TokenFinder } from './find-token.ts';
import { createDeploymentPlanner } from './plan-deployment.ts';
import type { AskedDeployment, PlanDeployment } from './plan-deployment.ts';
import { readMarks } from './read-marks.ts';
import type { AccountMarks } from './read-marks.ts';
import { listTokens } from './store.ts';
import type { TokenPage, TokenRecord } from './store.ts';

export interface TokenService extends TokenFinder, BoundVerbs {
  planDeployment: PlanDeployment;
  /**
   * Deploys a clone whose address is known before anything is sent.
   * @throws AppError VALIDATION_ERROR, BASE_URI_TOO_LONG, QUOTA_EXCEEDED, DEPLOY_UNAVAILABLE
   */
  deploy(owner: Owner, request: AskedDeployment, options: WriteOptions): Promise<Intent>;
  /**
   * Mints `amount` (ERC-20, smallest unit) or the next id (ERC-721, `amount` undefined) to `to`.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED
   */
  mint(
    owner: Owner,
    address: string,
    mint: { to: string; amount: string | undefined },
    options: WriteOptions,
  ): Promise<Intent>;
  /**
   * Pauses, locks, freezes, approves, and takes each of these back. Free; sends nothing when that is so already.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
   */
  control: ApplyControl;
  /** The record and the state on the chain. @throws AppError NOT_FOUND, FORBIDDEN, CHAIN_ERROR */
  read(owner: Owner, address: string): Promise<{ token: TokenRecord; state: TokenState }>;
  /** Supply and bounds on the chain. @throws AppError NOT_FOUND, FORBIDDEN, CHAIN_ERROR */
  limits(owner: Owner, address: string): Promise<TokenLimits>;
  /** What the chain says of an account. @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, CHAIN_ERROR */
  marks(owner: Owner, address: string, account: string): Promise<AccountMarks>;
  /** A page of own tokens, newest first. */
  list(owner: Owner, page: TokenPage): Promise<TokenRecord[]>;
}

/** What one deployment or mint costs, of the plan's mints. */
const COST = { meter: 'mints', amount: 1 } as const;

export function createTokenService(parts: {
  db: Db;
  engine: Engine;
  chain: Pick<Chain, 'rpc' | 'blockCache' | 'system'>;
  /** Handed over from the accounts: the wallet that shall own a new token; null when the account has none. */
  walletOf(accountId: string): Promise<Hex | null>;
}): TokenService {
  const { db, engine, chain, walletOf } = parts;
  const { findOwn, findAny } = createTokenFinder(db);
  const planDeployment = createDeploymentPlanner({ system: chain.system, walletOf, findId: engine.findId });
  const changes = createChanges({ engine, rpc: chain.rpc });
  const ask = async <Answer>(contract: Hex, view: View<Answer>): Promise<Readonly<Answer>> => {
    try {
      return await chain.blockCache.read(contract, view);
    } catch (cause) {
      throw new AppError('CHAIN_ERROR', 'The chain does not answer at the moment', { cause });
    }
  };

  return {
    planDeployment,

    deploy: async (owner, request, { respondAsync, ...write }) => {
      const planned = await planDeployment(owner, 'deploy_token', request, write);
      return engine.submit({ ...planned, ...owner, cost: COST, ...write }, respondAsync);
    },

    mint: async (owner, address, { to, amount }, { respondAsync, ...write }) => {
      const recipient = parseAddress(to, 'owner');
      const { address: contract, type } = await findOwn(owner, address);
      const mint = TOKEN_STANDARDS[type].encodeMint(recipient, amount);
      return engine.submit(
        {
          ...owner,
          ...askMint({ type, to: recipient }),
          contract,
          call: { target: contract, ...mint, isControl: false },
          cost: COST,
          ...write,
        },
        respondAsync,
      );
    },

    read: async (owner, address) => {
      const token = await findOwn(owner, address);
      return { token, state: await ask(token.address, TOKEN_STATE) };
    },

    limits: async (owner, address) => ask((await findOwn(owner, address)).address, TOKEN_LIMITS),

    marks: async (owner, address, account) => {
      const holder = parseAddress(account, 'account');
      return readMarks(ask, (await findOwn(owner, address)).address, holder);
    },

    list: (owner, page) => listTokens(db, owner, page),
    control: createControls({ changes, findOwn }),
    ...createBoundVerbs({ db, changes, findOwn }),
    findOwn,
    findAny,
  };
}
