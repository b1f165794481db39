import { expect, test } from '@jest/globals';
import { createRooms } from '../../src/engine/accept/accept.ts';

const PLENTY = 10_000;

test('however many accounts are known, none is refused since another one of its group is new', () => {
  const rooms = createRooms();
  const accounts = Array.from({ length: 20_000 }, (_, index) => `account-${index}`);
  rooms.learn(new Map(accounts.map((id) => [id, PLENTY])));
  const toCount = rooms.toCount(['account-0', 'newcomer', 'newcomer']);
  expect(toCount).toEqual(['newcomer']);
  rooms.learn(new Map(toCount.map((id) => [id, PLENTY])));
  expect([rooms.take('account-0'), rooms.take('newcomer')]).toEqual([true, true]);
});

test('what is left is what was counted, less what was taken since', () => {
  const rooms = createRooms();
  rooms.learn(new Map([['account', 2]]));
  expect(rooms.toCount(['account'])).toEqual(['account']);
  expect([1, 2, 3].map(() => rooms.take('account'))).toEqual([true, true, false]);
  rooms.learn(new Map([['account', 1]]));
  expect([1, 2].map(() => rooms.take('account'))).toEqual([true, false]);
});

test('an account that nobody counted has no room', () => {
  expect(createRooms().take('unknown')).toBe(false);
});
