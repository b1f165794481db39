import type { ContractTransactionResponse, Provider } from 'ethers';
import { openContracts } from '../../scripts/contracts/typed.ts';
import type { System } from '../../src/chain/system/system-contracts.ts';

/* Nothing here runs: `tsc` is the test. */

declare const system: System;
declare const provider: Provider;

const { operator, tokenFactory, erc20, erc721 } = openContracts(system, provider);
const coin = erc20(system.operator);
const art = erc721(system.operator);

export const balance: Promise<bigint> = coin.balanceOf(system.operator);
export const decimals: Promise<bigint> = coin.decimals();
export const paused: Promise<boolean> = coin.paused();
export const sent: Promise<ContractTransactionResponse> = coin.mint(system.operator, 5n);
export const minted: Promise<bigint> = art.mint.staticCall(system.operator);
export const owner: Promise<string> = coin.tokenState().then((state) => state.owner);
export const keys: Promise<readonly string[]> = art.metadataKeys(1n);
export const allKeys: Promise<readonly string[]> = art.metadataKeys();
export const created: Promise<ContractTransactionResponse> = tokenFactory.createToken('0x00', {
  owner: system.operator,
  name: 'Coin',
  symbol: 'C',
  decimals: 18n,
  permissioned: false,
  maxSupply: 0n,
  mintLimitPerDay: 0n,
  recoverable: false,
});
export const byOther: Promise<bigint> = coin.connect(provider).balanceOf(system.operator);
export const overridden = coin.pause({ gasLimit: 100_000n });

// @ts-expect-error an ERC-20 mint takes an amount
void coin.mint(system.operator);
// @ts-expect-error and it is a bigint
void coin.mint(system.operator, 'five');
// @ts-expect-error there is no such function
export type Missing = (typeof coin)['mintBatch'];
// @ts-expect-error a view returns no transaction
export const wrong: Promise<ContractTransactionResponse> = coin.paused();
// @ts-expect-error every field of a structure is needed
void tokenFactory.createToken('0x00', { owner: system.operator });
// @ts-expect-error intents are numbers
void operator.intentDone('one');
