import { Interface } from 'ethers';
import {
  collectionFactoryAbi,
  managedErc20Abi,
  managedErc721Abi,
  operatorAbi,
  tokenDescriptorAbi,
  tokenFactoryAbi,
} from '../../../generated/contracts.ts';

/** The ABI of each contract of the system. Building one parses it, so that it is done here once. */
export const OPERATOR = new Interface(operatorAbi);
export const TOKEN_FACTORY = new Interface(tokenFactoryAbi);
export const COLLECTION_FACTORY = new Interface(collectionFactoryAbi);
export const ERC20 = new Interface(managedErc20Abi);
export const ERC721 = new Interface(managedErc721Abi);

/** Renders the JSON of tokens; it is called by them, and asked for previews. */
export const DESCRIPTOR = new Interface(tokenDescriptorAbi);

export const INTERFACES = [OPERATOR, TOKEN_FACTORY, COLLECTION_FACTORY, ERC20, ERC721] as const;
