/**
 * Flags of Node that the service runs with; ops/container/Dockerfile has them too. V8 would let what is young grow to some 130 MiB,
 * and waits that long before it looks what of it is left.
 */
export const serviceFlags = ['--max-semi-space-size=16'];
