import { expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { createValidator, warmUp } from '../../src/http/validator.ts';
import type { Validator } from '../../src/http/validator.ts';
import { readContract } from '../../src/http/document.ts';
import { ADDRESS, refusal, send, serve } from '../../lab/stage/serve.ts';

/** Validators of the contract's first operations, which tell the turn of the event loop in which each is compiled. */
function createWatched(count: number) {
  const compiledIn: number[] = [];
  let turns = 0;
  const validators = readContract()
    .operations.slice(0, count)
    .map((operation) =>
      createValidator(
        {
          ...operation,
          get document() {
            compiledIn.push(turns);
            return operation.document;
          },
        },
        'refused',
      ),
    );
  return {
    validators,
    compiledIn,
    /** Counts turns until the work is done. */
    during: async (work: Promise<void>) => {
      let isDone = false;
      const done = work.finally(() => (isDone = true));
      for (; !isDone; turns += 1) await turn();
      await done;
    },
  };
}

test('a validator that nobody needs is not compiled', () => {
  expect(createWatched(3).compiledIn).toEqual([]);
});

test('a warm-up compiles each validator once, in a turn of the event loop of its own', async () => {
  const { validators, compiledIn, during } = createWatched(4);
  await during(warmUp(validators, new AbortController().signal));
  expect(compiledIn).toHaveLength(4);
  expect(new Set(compiledIn).size).toBe(4);
  await during(warmUp(validators, new AbortController().signal));
  expect(compiledIn).toHaveLength(4);
});

test('a warm-up ends when it is told to', async () => {
  const stopping = new AbortController();
  const compiled: number[] = [];
  const validators = [1, 2, 3].map((number): Validator => ({
    validate: () => undefined,
    compile: () => {
      compiled.push(number);
      if (number === 2) stopping.abort();
    },
  }));
  await warmUp(validators, stopping.signal);
  expect(compiled).toEqual([1, 2]);
});

test('the first requests of an operation are validated, even two at the same time', async () => {
  await using service = await serve();
  const mint = () => send(service, `POST /tokens/${ADDRESS}/mint`, { as: 'access', body: {} });
  for (const answer of await Promise.all([mint(), mint()])) {
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(refusal('VALIDATION_ERROR', 'owner is required.'));
  }
});

test('later requests of an operation are validated by their own path and body', async () => {
  await using service = await serve();
  const mint = (address: string, body: object) =>
    send(service, `POST /tokens/${address}/mint`, { as: 'access', body });
  expect((await mint(ADDRESS, { owner: ADDRESS })).status).toBe(202);
  const wrongPath = await mint('0x12', { owner: ADDRESS });
  expect(wrongPath.status).toBe(422);
  expect(wrongPath.body).toMatchObject({ message: expect.stringMatching(/^address /) });
  expect((await mint(ADDRESS, {})).body).toEqual(refusal('VALIDATION_ERROR', 'owner is required.'));
  expect((await mint(ADDRESS, { owner: ADDRESS })).status).toBe(202);
});

test('a path with a broken escape is refused with the same words at every request', async () => {
  await using service = await serve();
  const ask = () => send(service, 'GET /tokens/%zz', { as: 'access' });
  const first = await ask();
  expect(first).toMatchObject({
    status: 422,
    body: refusal('VALIDATION_ERROR', expect.stringContaining('write a % itself as %25')),
  });
  await send(service, `GET /tokens/${ADDRESS}`, { as: 'access' });
  expect((await ask()).body).toEqual(first.body);
});
