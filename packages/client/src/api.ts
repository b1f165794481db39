/** Types of the contract. The build puts `generated/api.ts` itself in the place of this file. */
export type { components, operations, paths, webhooks } from '../../../generated/api.ts';
