/**
 * Checked by `npm run types`: each `@ts-expect-error` is a mistake that must not compile, so a type that grows too
 * loose fails the check as an unused directive.
 */
import type { Handler, Handlers, Principal, Request, Success } from '../../src/http/operation.ts';
import type { WriteOptions } from '../../src/lib/write-options.ts';

declare const handlers: Handlers;
declare const principal: Principal;

const transaction = { hash: '0x00', explorerUrl: 'https://explorer.example/tx/0x00' };

// The whole table compiles; less or more than the contract does not.
export const complete: Handlers = { ...handlers };

const { mintToken: _mintToken, ...withoutMint } = handlers;
// @ts-expect-error a handler is missing
export const missing: Handlers = withoutMint;

export const extra: Handlers = {
  ...handlers,
  // @ts-expect-error no such operation in the contract
  burnToken: async () => ({ status: 200, body: { success: true } }),
};

// @ts-expect-error no such operation in a feature's part of the table either
export const extraInPart = { burnToken: async () => ({ status: 200 as const }) } satisfies Partial<Handlers>;

// What a handler returns.
export const right: Handler<'mintToken'> = async () => ({
  status: 200,
  headers: { 'Intent-Id': '3a2cf1f6-90dd-4ecb-aa84-46042086a99b' },
  body: { success: true, data: { tokenId: '1', transaction } },
});

export const accepted: Handler<'mintToken'> = async () => ({
  status: 202,
  headers: { 'Preference-Applied': 'respond-async' },
  body: {
    intent: { id: '3a2cf1f6-90dd-4ecb-aa84-46042086a99b', kind: 'mint', status: 'queued', transaction: null },
  },
});

// @ts-expect-error the contract has no 201 here
export const wrongStatus: Handler<'mintToken'> = async () => ({
  status: 201,
  body: { success: true, data: { transaction } },
});

// @ts-expect-error errors are thrown, not returned
export const errorStatus: Handler<'mintToken'> = async () => ({
  status: 404,
  body: { code: 'NOT_FOUND', message: 'There is no token at this address.' },
});

// @ts-expect-error transaction is missing
export const wrongBody: Handler<'mintToken'> = async () => ({
  status: 200,
  body: { success: true, data: {} },
});

// @ts-expect-error ids are strings
export const wrongField: Handler<'mintToken'> = async () => ({
  status: 200,
  body: { success: true, data: { tokenId: 1, transaction } },
});

// @ts-expect-error the body of 202 does not go with 200
export const mixedBody: Handler<'mintToken'> = async () => ({
  status: 200,
  body: { intent: { id: 'a', kind: 'mint', status: 'queued', transaction: null } },
});

// @ts-expect-error a field that the contract does not declare
export const extraField: Success<'getHealth'> = { status: 200, body: { ok: true, uptime: 1 } };

export const wrongHeader: Success<'getHealth'> = {
  status: 200,
  body: { ok: true },
  // @ts-expect-error a header that the contract does not declare
  headers: { 'Intent-Id': 'a' },
};

declare const profile: Success<'getProfile'>['body'];
export const withCookie: Success<'logIn'> = {
  status: 200,
  body: profile,
  cookie: { value: 'secret', maxAgeSeconds: 604_800 },
};
// @ts-expect-error a login without a session cookie
export const withoutCookie: Success<'logIn'> = { status: 200, body: profile };
// @ts-expect-error only where the contract sets a cookie
export const cookieElsewhere: Success<'getProfile'> = { status: 200, body: profile, cookie: 'clear' };

// What a handler is given.
export const principalOf: Request<'getProfile'>['principal'] = principal;
// @ts-expect-error a protected operation always has a principal
export const noPrincipal: Request<'getProfile'>['principal'] = null;
// @ts-expect-error a public operation never has one
export const publicPrincipal: Request<'getHealth'>['principal'] = principal;

declare const write: WriteOptions;
export const writeOf: Request<'mintToken'>['write'] = write;
// @ts-expect-error a read is no write
export const readWrite: Request<'getToken'>['write'] = write;

export const address: Request<'mintToken'>['path']['address'] = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
// @ts-expect-error no such path parameter
export type NoSuchParameter = Request<'mintToken'>['path']['id'];

export const discriminated = (body: Request<'deployToken'>['body']): string | undefined =>
  body.type === 'ERC721' ? body.baseUri : undefined;
// @ts-expect-error only an ERC-721 has a base URI
export type Undiscriminated = Request<'deployToken'>['body']['baseUri'];
