export { addresses } from './addresses.ts';
export { DETERMINISTIC_DEPLOYER, DETERMINISTIC_DEPLOYER_CODE } from './compute-addresses.ts';
export type { Deployment, SystemAddresses, SystemArguments, SystemDeployments } from './compute-addresses.ts';
export * from './contracts.ts';
export { systemAddresses, systemDeployments } from './system-addresses.ts';
