export { createClient, readSession } from './client.ts';
export type { ClientOptions, MintmarkClient } from './client.ts';
export { MintmarkError } from './errors.ts';
export type { ClientErrorCode, ErrorCode, ServiceErrorCode } from './errors.ts';
export type { WaitOptions } from './wait-for-intent.ts';
export type { CallOptions, EntryOf, PagedPath, Result, Schemas } from './types.ts';
export type { components, operations, paths } from './api.ts';
