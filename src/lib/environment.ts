import { isIPv6 } from 'node:net';
import { ZeroAddress, computeAddress, getAddress, isHexString, parseEther } from 'ethers';

/** A start that cannot go on; the message is the one sentence that the operator sees. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

// Each of these reads one variable, and throws a ConfigError with a sentence that names it.

/** An empty variable counts as unset, as in a shell's `NAME= command`. */
export function text(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Items between commas; none when the variable is unset. */
export function list(env: Environment, name: string): string[] {
  const value = text(env, name);
  const items = (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (value !== undefined && items.length === 0)
    throw new ConfigError(`${name} is "${value}", a list of nothing`);
  return items;
}

/** A whole number from `min` to `max`; null when the variable is unset. */
export const optionalInteger = (env: Environment, name: string, min: number, max: number): number | null =>
  text(env, name) === undefined ? null : integer(env, name, min, min, max);

/** A whole number from `min` to `max`. */
export function integer(env: Environment, name: string, otherwise: number, min: number, max: number): number {
  const value = text(env, name);
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ConfigError(`${name} is "${value}", not a whole number from ${min} to ${max}`);
  }
  return number;
}

/** Whole numbers by name, like `A=1,B=2`, up to `max`. Those that are not named are as in `otherwise`. */
export function integers<Name extends string>(
  env: Environment,
  name: string,
  otherwise: Readonly<Record<Name, number>>,
  max: number,
): Record<Name, number> {
  const given = list(env, name).map((item) => {
    const [, key = '', digits = ''] = /^(\w+) *= *(\d+)$/.exec(item) ?? [];
    if (!Object.hasOwn(otherwise, key) || Number(digits) > max) {
      const names = Object.keys(otherwise).join(', ');
      throw new ConfigError(
        `${name} has "${item}", not one of ${names} with "=" and a whole number up to ${max}`,
      );
    }
    return [key, Number(digits)] as const;
  });
  return { ...otherwise, ...Object.fromEntries(given) };
}

/** One of some values. */
export function oneOf<Value extends string>(
  env: Environment,
  name: string,
  values: readonly Value[],
  otherwise: Value,
): Value {
  const value = text(env, name);
  if (value === undefined) return otherwise;
  const found = values.find((candidate) => candidate === value);
  if (!found) throw new ConfigError(`${name} is "${value}", not one of ${values.join(', ')}`);
  return found;
}

/** A URL with one of some protocols, such as `https:`. */
export function url(env: Environment, name: string, protocols: readonly string[]): string | null {
  const value = text(env, name);
  if (value === undefined) return null;
  checkUrl(name, value, protocols);
  return value;
}

export function checkUrl(name: string, value: string, protocols: readonly string[]): void {
  if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return;
  // The value is not repeated: a database URL holds a password, an RPC URL a key.
  throw new ConfigError(
    `${name} is not a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  );
}

/** An address of this machine, or a name of it. */
export function hostName(env: Environment, name: string): string | undefined {
  const host = text(env, name);
  if (host === undefined || isIPv6(host) || /^[a-z0-9._-]+$/i.test(host)) return host;
  throw new ConfigError(
    `${name} is "${host}", not an address of this machine, like 127.0.0.1, or a name of it`,
  );
}

/** Origins of pages, or `*`. */
export function origins(env: Environment, name: string): string[] {
  const values = list(env, name);
  for (const value of values) {
    if (value === '*' || (URL.canParse(value) && new URL(value).origin === value)) continue;
    throw new ConfigError(`${name} has "${value}", not an origin like https://app.example.com, and not *`);
  }
  return values;
}

/** An amount of the chain's native coin, in wei. */
export function coins(env: Environment, name: string): bigint | null {
  const value = text(env, name);
  if (value === undefined) return null;
  const wei = /^\d{1,12}(\.\d{1,18})?$/.test(value) ? parseEther(value) : 0n;
  if (wei > 0n) return wei;
  throw new ConfigError(`${name} is "${value}", not an amount of the chain's coin like 0.5`);
}

/** An EIP-55 address. */
export function address(env: Environment, name: string): string | null {
  const value = text(env, name);
  if (value === undefined) return null;
  try {
    const checked = getAddress(value);
    if (checked !== ZeroAddress) return checked;
  } catch {
    throw new ConfigError(`${name} is "${value}", not an address: 0x and 40 hexadecimal digits`);
  }
  throw new ConfigError(`${name} is the zero address, for which nobody can act`);
}

/** A private key. The value is not repeated. */
export function privateKey(env: Environment, name: string): string | null {
  const value = text(env, name);
  if (value === undefined || isPrivateKey(value)) return value ?? null;
  throw new ConfigError(`${name} is not a private key: 0x and 64 hexadecimal digits`);
}

function isPrivateKey(key: string): boolean {
  if (!isHexString(key, 32)) return false;
  try {
    // Zero, and numbers beyond the order of the curve, have no address.
    computeAddress(key);
    return true;
  } catch {
    return false;
  }
}

/** A database, which may have several hosts: `splitHosts` returns a URL for each of them. */
export function databaseServers(
  env: Environment,
  name: string,
  splitHosts: (url: string) => string[],
): string | null {
  const value = text(env, name);
  if (value === undefined) return null;
  // What is behind a raw "#" would be left out, and so would the host be when it stands in a password.
  const isCut =
    /^postgres(?:ql)?:\/\//.test(value) &&
    (value.includes('#') || !splitHosts(value).every((host) => URL.canParse(host)));
  if (isCut) {
    throw new ConfigError(
      `${name} cannot be read: within a user name or password, write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25`,
    );
  }
  for (const host of splitHosts(value)) checkUrl(name, host, ['postgres:', 'postgresql:']);
  const wanted = new URL(splitHosts(value)[0]!).searchParams.get('target_session_attrs') ?? 'any';
  if (!['any', 'read-write', 'primary'].includes(wanted)) {
    throw new ConfigError(
      `${name} asks for target_session_attrs=${wanted}, but the service writes: leave it out, or make it read-write`,
    );
  }
  return value;
}
