import type { Random } from '../../random.ts';
import { askNode } from './endpoint.ts';
import type { Layer } from './endpoint.ts';

/** Heads and the blocks below them by number: what tells which fork an endpoint is on. */
const HEADS = new Set(['eth_blockNumber', 'eth_getBlockByNumber', 'eth_feeHistory', 'eth_gasPrice']);

export interface SecondBackend {
  url: string;
  /**
   * `lookups`: it answers everything but heads, while those come from the first one. `any call`: a part of all calls,
   * heads too, as a load balancer spreads them.
   */
  answers: 'lookups' | 'any call';
  /** Part of these calls that it answers, from 0 to 1. */
  part: number;
  random: Random;
}

/**
 * Two nodes behind one address. Transactions go to the first one, and to the second one as well, which may have another
 * answer to them that nobody sees.
 */
export function secondBackend({ url, answers, part, random }: SecondBackend): Layer {
  return async (request, forward) => {
    if (request.method === 'eth_sendRawTransaction') {
      await askNode(url, request);
      return forward(request);
    }
    if (answers === 'lookups' && HEADS.has(request.method)) return forward(request);
    return random.chance(part) ? askNode(url, request) : forward(request);
  };
}
