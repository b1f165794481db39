/**
 * Flags of Node that the service runs with; ops/container/Dockerfile has them too.
 *
 * V8 would let what is young grow to some 130 MiB, and waits that long before it looks what of it is left. And what often
 * outlives a request while the service starts it would make among what is old from then on: all that belongs to a request
 * then lives until the next full collection, and copying it took a fifth of the CPU of a read.
 *
 * What hundreds of clients wait for at once outlives young collections, and is garbage a moment later. V8 would let the heap
 * grow to three or four times what the last full collection left before the next one; here it is twice.
 */
export const serviceFlags = [
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=100',
];
