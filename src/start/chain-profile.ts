import { readFile } from 'node:fs/promises';
import { parseProfile } from '../chain/profile-fields.ts';
import { LOCAL_CHAINS, PROFILES, profileOf } from '../chain/profile.ts';
import type { ChainProfile, ProfileChoice } from '../chain/profile.ts';
import { RpcRefused } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';

/**
 * Returns the profile of the chain: that of its id, or as `CHAIN_PROFILE` says. `CONFIRMATIONS` is the finality when it
 * is set. @throws ConfigError with a sentence that names variable and field
 */
export async function chooseProfile(
  { chainProfile, confirmations }: Pick<Config, 'chainProfile' | 'confirmations'>,
  rpc: Pick<Rpc, 'call'>,
  chainId: bigint,
): Promise<ChainProfile> {
  const choice = await readChoice(chainProfile);
  const needsVersion = choice.name === undefined && LOCAL_CHAINS.includes(chainId);
  const profile = profileOf(chainId, choice, needsVersion ? await readClientVersion(rpc) : '');
  return confirmations === null ? profile : { ...profile, finality: confirmations };
}

/** Not every node tells: then it is none of those that are known by it. */
async function readClientVersion(rpc: Pick<Rpc, 'call'>): Promise<string> {
  try {
    return await rpc.call<string>('web3_clientVersion', []);
  } catch (error) {
    if (error instanceof RpcRefused) return '';
    throw error;
  }
}

/** Reads what `CHAIN_PROFILE` names: a built-in profile, or a file. */
async function readChoice(value: string | null): Promise<ProfileChoice> {
  if (value === null) return {};
  if (Object.hasOwn(PROFILES, value)) return { name: value };
  const text = await readFile(value, 'utf8').catch(() => {
    const names = Object.keys(PROFILES).join(', ');
    throw new ConfigError(`CHAIN_PROFILE is "${value}", neither a file that can be read nor one of ${names}`);
  });
  try {
    return parseProfile(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    throw new ConfigError(`CHAIN_PROFILE names ${value}, which is no profile: ${reason}`);
  }
}
