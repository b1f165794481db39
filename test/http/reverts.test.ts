import { expect, test } from '@jest/globals';
import { AppError } from '../../src/errors.ts';
import { createAnswerIntent } from '../../src/features/answer-intent.ts';
import type { ResponseEvent } from '../../src/telemetry/observe.ts';
import { ADDRESS, INTENT_ID, send, serve } from '../../lab/stage/serve.ts';

const answerIntent = createAnswerIntent((hash) => `https://explorer.example/tx/${hash}`);

/** What is told of a mint that failed with this error, and its last log line. */
async function mintThatFails(
  error: AppError | { code: 'CHAIN_ERROR' | 'DEPLOY_UNAVAILABLE'; message: string },
) {
  const ends: ResponseEvent[] = [];
  await using service = await serve({
    handlers: {
      mintToken: async () => {
        if (error instanceof AppError) throw error;
        const intent = {
          id: INTENT_ID,
          kind: 'mint',
          status: 'failed',
          transactionHash: null,
          error,
        } as const;
        return answerIntent(intent, { respondAsync: false }, () => {
          throw new Error('it has failed');
        });
      },
    },
    observe: {
      request: (_request, work) => {
        work();
        return (end) => void ends.push(end);
      },
    },
  });
  const { status } = await send(service, `POST /tokens/${ADDRESS}/mint`, {
    as: 'access',
    body: { owner: ADDRESS },
  });
  while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const line: unknown = JSON.parse(service.log().trim().split('\n').at(-1)!);
  return { status, isRevert: ends[0]!.isRevert, line };
}

test('what a contract refused is answered with 502, is no failure of the service, and is logged at info with its reason', async () => {
  const message = 'The call reverted: TokenPaused()';
  expect(await mintThatFails({ code: 'CHAIN_ERROR', message })).toMatchObject({
    status: 502,
    isRevert: true,
    line: { level: 30, reason: message, intent: INTENT_ID },
  });
});

test.each([
  [{ code: 'CHAIN_ERROR', message: 'The chain is out of reach; nothing was sent' } as const, 502],
  [{ code: 'DEPLOY_UNAVAILABLE', message: 'The call reverted: CreationPaused()' } as const, 503],
  [new AppError('CHAIN_ERROR', 'No signer can pay for gas.'), 502],
])('what the contract did not refuse is a failure of the service: %j', async (error, status) => {
  expect(await mintThatFails(error)).toMatchObject({ status, isRevert: false, line: { level: 50 } });
});
