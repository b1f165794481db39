import type { RefusalKind } from './classify.ts';

/** No endpoint answered. Whether the call had an effect is unknown. */
export class RpcUnreachable extends Error {
  override readonly name: string = 'RpcUnreachable';
}

const ANEW = 'For a local node that was started anew, start with an empty database, or with another DATA_DIR';

/** The endpoint answers, and not for the chain of this database. The message is a sentence for the operator. */
export class OtherChain extends RpcUnreachable {
  override readonly name = 'OtherChain';
  static ofId(known: bigint, shown: bigint): OtherChain {
    return new OtherChain(`The database belongs to chain ${known}, but RPC_URL is chain ${shown}`);
  }
  static ofGenesis(chainId: bigint): OtherChain {
    return new OtherChain(
      `The database belongs to another chain ${chainId}: the genesis block behind RPC_URL is not the same. ` +
        ANEW,
    );
  }
  static ofContracts(): OtherChain {
    return new OtherChain(
      'The chain behind RPC_URL lacks the contracts of this database: its node was restarted or reset, or has not caught up with the chain yet. ' +
        ANEW,
    );
  }
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

/** The answer; null when an endpoint refuses it, for now or for good: that says nothing of the chain. */
export async function unlessRefused<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
