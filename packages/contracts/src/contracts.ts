/** ABIs and creation bytecode. The build puts `generated/contracts.ts` itself in the place of this file. */
export * from '../../../generated/contracts.ts';
