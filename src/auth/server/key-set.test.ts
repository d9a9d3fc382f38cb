/** The keys of an issuer while it changes them. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { KeySet } from './key-set.ts';

const newKey = async (kid: string): Promise<JWK> => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  alg: 'ES256',
  kid,
});

test('a token that was read with the old keys finds its key in those that another token has fetched meanwhile', async () => {
  const clock = virtualClock();
  const keys = [await newKey('old')];
  let fetches = 0;
  const web = async () => {
    fetches++;
    return { status: 200, header: () => undefined, json: { keys: [...keys] } };
  };
  const set = new KeySet({ issuer: 'https://auth.example', jwksUri: 'https://auth.example/jwks', web });
  const find = async (kid: string): Promise<unknown> =>
    set.finder(clock, () => undefined)({ alg: 'ES256', kid }, { payload: '', signature: '' });
  await find('old');
  keys.push(await newKey('new'));
  const old = set.known(clock);
  const found: Promise<unknown>[] = [];
  // One token per microtask, so that the last one has the old keys when the new ones arrive.
  for (; set.known(clock) === old; await Promise.resolve()) found.push(find('new'));
  expect(await Promise.all(found)).toEqual(found.map(() => expect.anything()));
  expect([found.length > 1, fetches]).toEqual([true, 2]);
});
