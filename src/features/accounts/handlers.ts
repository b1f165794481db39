import { presentAddress } from '../../chain/address.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import type { AccountService } from './service.ts';
import type { Issued } from './sign-in.ts';
import type { Account } from './store.ts';

/** `/v1/auth`, `/auth` and `/me`. */
export function accountHandlers({ accounts }: { accounts: AccountService }) {
  return {
    registerAccount: async ({ body, network, origin, cookieHash }) => {
      const { account, session } = await accounts.register({ ...body, network, origin, cookieHash });
      return { status: 201, body: presentProfile(account), cookie: presentSession(session) };
    },
    logIn: async ({ body, network, origin, cookieHash }) => {
      const { account, session } = await accounts.logIn({ ...body, network, origin, cookieHash });
      return { status: 200, body: presentProfile(account), cookie: presentSession(session) };
    },
    getSession: async ({ principal }) => ({
      status: 200,
      body: presentProfile(await accounts.read(principal.accountId)),
    }),
    signIn: async ({ body, network, origin }) => {
      const { account, token } = await accounts.signIn({ ...body, network, origin });
      return {
        status: 200,
        body: { token, user: { id: account.id, email: account.email, plan: account.plan } },
      };
    },
    createAccessToken: async ({ principal, body: { environment = 'live' } }) => {
      const { secret, expiresAt } = await accounts.issueToken(principal, environment);
      return { status: 200, body: { token: secret, environment, expiresAt: expiresAt.toISOString() } };
    },
    signOut: async ({ principal, origin }) => {
      await accounts.signOut(principal, origin);
      return { status: 204 };
    },
    logOut: async ({ principal, write }) => {
      await accounts.logOut(principal, write);
      return { status: 204, cookie: 'clear' };
    },
    changePassword: async ({ principal, body, network, write }) => {
      const session = await accounts.changePassword(principal, { ...body, network }, write);
      return { status: 204, cookie: presentSession(session) };
    },
    getProfile: async ({ principal }) => ({
      status: 200,
      body: presentProfile(await accounts.read(principal.accountId)),
    }),
    updateProfile: async ({ principal, body, write }) => ({
      status: 200,
      body: presentProfile(await accounts.setWallet(principal.accountId, body.walletAddress, write)),
    }),
  } satisfies Partial<Handlers>;
}

function presentSession({ secret, lifetimeSeconds }: Issued): { value: string; maxAgeSeconds: number } {
  return { value: secret, maxAgeSeconds: lifetimeSeconds };
}

function presentProfile({ id, email, plan, walletAddress }: Account): Schemas['Profile'] {
  return { id, email, plan, walletAddress: walletAddress && presentAddress(walletAddress) };
}
