import type { RefusalKind } from './classify.ts';

/** No endpoint answered. Whether the call had an effect is unknown. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** An endpoint answered with an error. */
export class RpcRefused extends Error {
  override readonly name = 'RpcRefused';
  readonly kind: RefusalKind;
  readonly rpcCode: number | undefined;
  /** Revert data, when the node gave it. */
  readonly data: string | undefined;
  constructor(kind: RefusalKind, message: string, rpcCode: number | undefined, data: string | undefined) {
    super(message);
    this.kind = kind;
    this.rpcCode = rpcCode;
    this.data = data;
  }
}
