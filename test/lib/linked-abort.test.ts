import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createBatchLimit } from '../../src/chain/rpc/batch-limit.ts';
import { openEndpoint } from '../../src/chain/rpc/endpoint.ts';
import { linkAbort } from '../../src/lib/linked-abort.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a linked signal', () => {
  test('aborts with its parent, for the same reason', () => {
    const parent = new AbortController();
    const { signal } = linkAbort(parent.signal);
    parent.abort(new Error('the end'));
    expect(signal.reason).toEqual(new Error('the end'));
    expect(linkAbort(parent.signal).signal.reason).toEqual(new Error('the end'));
  });

  test('aborts by itself, and its listener is removed', () => {
    const parent = new AbortController();
    const linked = linkAbort(parent.signal);
    linked.abort(new Error('late'));
    expect(linked.signal.reason).toEqual(new Error('late'));
    expect(parent.signal.aborted).toBe(false);
    expect(listenersOf(parent.signal)).toBe(1);
    linked.release();
    expect(listenersOf(parent.signal)).toBe(0);
  });

  test('leaves no listener after a call of an endpoint, answered or not', async () => {
    let answers = true;
    const reply = answerEach(() => ({ result: '0x1' }));
    await using node = await startScriptedNode((...exchange) => {
      if (answers) reply(...exchange);
    });
    const closing = new AbortController();
    const limit = createBatchLimit(100);
    const callWithin = (timeoutMs: number) =>
      openEndpoint(node.url, { timeoutMs, limit, closing: closing.signal })({
        method: 'eth_blockNumber',
        params: [],
        deadline: Infinity,
      });
    expect(await callWithin(60_000)).toBe('0x1');
    expect(listenersOf(closing.signal)).toBe(0);
    answers = false;
    await expect(callWithin(100)).rejects.toThrow(/^eth_blockNumber.* no answer within 100 ms/);
    expect(listenersOf(closing.signal)).toBe(0);
    const broken = callWithin(60_000);
    closing.abort();
    await expect(broken).rejects.toThrow('eth_blockNumber');
    expect(listenersOf(closing.signal)).toBe(0);
  });
});
