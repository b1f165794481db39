import { createRequire } from 'node:module';
import type { RulesetDefinition, RulesetFunction } from '@stoplight/spectral-core';

/** Its types are those of another form of the package than the one that Node imports. */
const owasp = createRequire(import.meta.url)('@stoplight/spectral-owasp-ruleset') as RulesetDefinition;

/** A string schema, as far as these rules look at it. */
interface StringSchema {
  maxLength?: number;
  enum?: unknown;
  const?: unknown;
  format?: string;
  pattern?: string;
}

/** Keys of a path that name no field: `data/items/properties/name/oneOf/0` is `name`. */
const NO_FIELD = new Set(['schema', 'oneOf', 'items', 'additionalProperties']);

function fieldOf(path: readonly (string | number)[]): string {
  return String(path.findLast((key) => typeof key === 'string' && !NO_FIELD.has(key) && !/^\d+$/.test(key)));
}

/** Whether a pattern takes texts of limited length alone: anchored, without `*`, `+` and `{n,}` outside of brackets. */
function isBoundedPattern(pattern: string): boolean {
  const outside = pattern.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/g, 'x');
  return /^\^.*\$$/.test(outside) && !/[*+]|\{\d+,\}/.test(outside);
}

/** Fields of any length, and why. */
const UNLIMITED: Record<string, string> = {
  message: 'quotes what the chain gave as the reason of a revert, which may be any text',
  cause: 'a sentence of the service about the chain, for people',
  action: 'a sentence of the service about the chain, for people',
  error: 'a sentence of the service about the receiver of a webhook, for people',
  explorerUrl: 'begins with EXPLORER_URL, which the operator chooses',
  TransactionLink: 'holds the explorerUrl',
  Link: 'holds the explorerUrl',
  baseUri: 'a longer one has an error code of its own, BASE_URI_TOO_LONG',
  details: 'depends on the action; each value is one that the account sent under the limits of that request',
  keys: 'read from the chain, where the owner of a contract may write without the service',
  name: 'where metadata is read from the chain: its owner may write without the service; requests are limited',
  description: 'as name',
  image: 'as name',
  symbol: 'as name',
  trait_type: 'as name',
  value: 'as name',
};

/** Fields of any characters, and why. */
const FREE_TEXT: Record<string, string> = {
  ...UNLIMITED,
  email: 'an address that fits no short pattern; registration checks it with the format `email`',
  creator: 'as email',
  password: 'any characters',
  currentPassword: 'any characters',
  newPassword: 'any characters',
  inviteCode: 'the operator chooses it',
  attributes: 'values are text in any language',
  external_url: 'as name, and so the other fields at the top of a rendered JSON',
  animation_url: 'as external_url',
  background_color: 'as external_url',
  display_type: 'as external_url',
  external_link: 'as external_url',
  banner_image: 'as external_url',
  featured_image: 'as external_url',
  collaborators: 'as external_url',
  userAgent: 'what the client sent',
  address: 'of a client in the audit log: IPv4 or IPv6; addresses on the chain have a pattern',
  TokenName: 'text in any language',
  TokenSymbol: 'text in any language',
  Attributes: 'text in any language',
  Prefer: 'other preferences than respond-async are to be ignored (RFC 7240)',
  parameters: 'Prefer where it is referred to; all parameters are checked by their names under components',
  'Set-Cookie': 'the form is that of RFC 6265',
  SessionCookie: 'as Set-Cookie',
  ClearedCookie: 'as Set-Cookie',
  'application/yaml': 'this document',
};

const checkLimit: RulesetFunction<StringSchema, null> = (schema, _options, { path }) => {
  const isLimited =
    schema.maxLength !== undefined ||
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.format === 'uuid' ||
    (schema.pattern !== undefined && isBoundedPattern(schema.pattern));
  if (isLimited || fieldOf(path) in UNLIMITED) return;
  return [{ message: `${fieldOf(path)} needs maxLength, enum, or a pattern that limits its length.` }];
};

const checkForm: RulesetFunction<StringSchema, null> = (schema, _options, { path }) => {
  const hasForm = schema.format ?? schema.pattern ?? schema.enum ?? schema.const;
  if (hasForm !== undefined || fieldOf(path) in FREE_TEXT) return;
  return [{ message: `${fieldOf(path)} needs a format, a pattern or enum.` }];
};

/** Schemas of strings, and of strings or null. */
const STRINGS = [
  '$..[?(@ && @.type=="string")]',
  '$..[?(@ && @.type && @.type.constructor.name === "Array" && @.type.includes("string"))]',
];

/**
 * The rules of OWASP's API security top ten of 2023 for documents of OpenAPI, without what is argued here and below.
 */
export const ruleset: RulesetDefinition = {
  extends: [owasp],
  rules: {
    // A UUID and a fixed pattern limit the length too; a maxLength beside them would change the messages of refusals.
    'owasp:api4:2023-string-limit': {
      message: '{{error}}',
      given: STRINGS,
      severity: 'error',
      then: { function: checkLimit },
    },
    'owasp:api4:2023-string-restricted': {
      message: '{{error}}',
      given: STRINGS,
      severity: 'error',
      then: { function: checkForm },
    },
    // Every integer has a maximum that a number of JavaScript holds. With `int64` some generators make a bigint of it,
    // which JSON.parse does not give.
    'owasp:api4:2023-integer-format': 'off',
    // The header is there for the origins of CORS_ORIGINS alone; without them no page of another origin reads an
    // answer.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
};

/** A place where a rule does not hold, and why. */
interface Exception {
  rules: readonly string[];
  /** Of the path to what was found, its keys joined by a space. */
  where: RegExp;
  why: string;
}

export const exceptions: readonly Exception[] = [
  {
    rules: [
      'owasp:api2:2023-read-restricted',
      'owasp:api4:2023-rate-limit',
      'owasp:api4:2023-rate-limit-responses-429',
      'owasp:api8:2023-define-error-responses-401',
      'owasp:api8:2023-define-error-validation',
    ],
    where: /^paths \/(health|ready|openapi\.yaml) /,
    why: 'What starts replicas and watches them has no account; the answers are the same for everybody and not counted.',
  },
  {
    rules: ['owasp:api2:2023-read-restricted', 'owasp:api8:2023-define-error-responses-401'],
    where: /^paths \/(tokenURI|contractURI)\//,
    why: 'Marketplaces read what is public on the chain; such requests are counted by address.',
  },
  {
    rules: ['owasp:api2:2023-read-restricted', 'owasp:api8:2023-define-error-responses-401'],
    where: /^paths \/network /,
    why: 'Whoever is about to sign in may know which chain this is; such requests are counted by address.',
  },
  {
    rules: ['owasp:api2:2023-write-restricted', 'owasp:api8:2023-define-error-responses-401'],
    where: /^paths \/(v1\/auth\/(register|login)|auth\/signin) /,
    why: 'Here a credential is had in the first place; wrong ones are counted by address and e-mail.',
  },
  {
    rules: ['owasp:api2:2023-no-credentials-in-url'],
    where: / parameters .*name$/,
    why: '`tokenId` is the number of an NFT and no secret.',
  },
  {
    rules: [
      'owasp:api8:2023-no-server-http',
      'owasp:api9:2023-inventory-access',
      'owasp:api9:2023-inventory-environment',
    ],
    where: /^servers 0/,
    why: 'Each deployment puts its own public address here (PUBLIC_URL), for one audience; the default is this machine.',
  },
];
