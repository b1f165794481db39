import { verbs } from './verbs.ts';

export type Hex = `0x${string}`;

/** The contracts of a system, lower case. */
export interface SystemAddresses {
  /** Calls the tokens on behalf of the service; emits `CallExecuted` and `MintsExecuted`. */
  operator: Hex;
  /** Makes ERC-20 tokens. */
  tokenFactory: Hex;
  /** Makes ERC-721 tokens. */
  collectionFactory: Hex;
  /** What every ERC-20 token is a clone of. */
  managedErc20: Hex;
  /** What every ERC-721 token is a clone of. */
  managedErc721: Hex;
  /** Renders `tokenURI` and `contractURI`. */
  descriptor: Hex;
}

export interface SystemArguments {
  /** Admin of the Operator when it was deployed: the service's `OPERATOR_ADMIN`. */
  admin: string;
  /**
   * Seconds that what the admin does waits: the service's `OPERATOR_ADMIN_DELAY`. By default that of the service on a
   * public chain, 172,800; on the chain ids 31337 and 1337 the service takes 0.
   */
  adminDelaySeconds?: number | undefined;
  /**
   * Seconds in which what is given up for ever can be taken back. By default that of a public chain, 86,400; on the
   * chain ids 31337 and 1337 it is 0.
   */
  revocableSeconds?: number | undefined;
  /** What the service's database drew when it was made, 32 bytes; none of the chain that `npm start` brings along. */
  deploymentId?: Hex | undefined;
  /** Keccak-256 of bytes in hexadecimal: `keccak256` of viem and of ethers. */
  keccak256: (bytes: Hex) => string;
}

/** Creation bytecode of each contract, without constructor arguments. */
export type Bytecodes = Record<keyof SystemAddresses, string>;

/**
 * The canonical deterministic deployer, at the same address on every chain that has it: salt and init code are its
 * calldata.
 */
export const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** Its code, for `hardhat_setCode` on a local chain that lacks it. */
export const DETERMINISTIC_DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

const PUBLIC_ADMIN_DELAY_SECONDS = 172_800;
const PUBLIC_REVOCABLE_SECONDS = 86_400;
const SALT: Hex = `0x${'0'.repeat(64)}`;
const ADDRESS = /^0x([0-9a-fA-F]{40})$/;

/** How one contract gets onto a chain. */
export interface Deployment {
  /** Lower case. */
  address: Hex;
  /** Calldata for `DETERMINISTIC_DEPLOYER`, which creates the contract there; where it is already, the call reverts. */
  data: Hex;
}

/** Each contract of a system, in the order in which the service deploys them. */
export type SystemDeployments = Record<keyof SystemAddresses, Deployment>;

/**
 * Addresses by CREATE2 (EIP-1014): the last 20 bytes of `keccak256(0xff, deployer, salt, keccak256(bytecode and
 * constructor arguments))`. The salt of the Operator is the deployment id, that of the others 0. The chain has no part
 * in it.
 * @throws TypeError for an admin that is no address
 */
export function computeDeployments(
  bytecodes: Bytecodes,
  {
    admin,
    adminDelaySeconds = PUBLIC_ADMIN_DELAY_SECONDS,
    revocableSeconds = PUBLIC_REVOCABLE_SECONDS,
    deploymentId = SALT,
    keccak256,
  }: SystemArguments,
): SystemDeployments {
  const placeAt = (salt: Hex, contract: keyof SystemAddresses, words: string[]): Deployment => {
    const initcode = `${bytecodes[contract].slice(2)}${words.join('')}`;
    const hash = keccak256(`0x${initcode}`).slice(2);
    const address = keccak256(`0xff${DETERMINISTIC_DEPLOYER.slice(2)}${salt.slice(2)}${hash}`).slice(-40);
    return { address: `0x${address}`, data: `0x${salt.slice(2)}${initcode}` };
  };
  const place = (contract: keyof SystemAddresses, ...words: string[]) => placeAt(SALT, contract, words);
  const operator = placeAt(deploymentId, 'operator', [
    addressWord(admin),
    numberWord(adminDelaySeconds),
    ...verbs,
  ]);
  const descriptor = place('descriptor');
  const shared = [operator, descriptor].map(({ address }) => addressWord(address));
  const managedErc20 = place('managedErc20', ...shared, numberWord(revocableSeconds));
  const managedErc721 = place('managedErc721', ...shared, numberWord(revocableSeconds));
  const tokenFactory = place('tokenFactory', addressWord(managedErc20.address));
  const collectionFactory = place('collectionFactory', addressWord(managedErc721.address));
  return { operator, descriptor, managedErc20, managedErc721, tokenFactory, collectionFactory };
}

/** The addresses alone. @throws TypeError for an admin that is no address */
export function computeAddresses(bytecodes: Bytecodes, system: SystemArguments): SystemAddresses {
  const { operator, tokenFactory, collectionFactory, managedErc20, managedErc721, descriptor } =
    computeDeployments(bytecodes, system);
  return {
    operator: operator.address,
    tokenFactory: tokenFactory.address,
    collectionFactory: collectionFactory.address,
    managedErc20: managedErc20.address,
    managedErc721: managedErc721.address,
    descriptor: descriptor.address,
  };
}

/** A number as a word of the ABI. */
const numberWord = (value: number): string => value.toString(16).padStart(64, '0');

/** An address as a word of the ABI. */
function addressWord(address: string): string {
  const [, digits] = ADDRESS.exec(address) ?? [];
  if (digits === undefined)
    throw new TypeError(`admin must be an address, and is ${JSON.stringify(address)}`);
  return digits.toLowerCase().padStart(64, '0');
}
