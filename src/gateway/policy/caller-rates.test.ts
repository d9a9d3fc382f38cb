/** Which requests share a rate limit. */
import { expect, test } from 'vitest';
import type { AuthInfo } from '../../model/caller.ts';
import { virtualClock } from '../../testing/index.ts';
import { CallerRates, type GatewayRates } from './caller-rates.ts';
import { WindowCounts } from './window-counts.ts';

const ada: AuthInfo = { issuer: 'https://id.example', subject: 'ada', clientId: 'editor', scopes: [] };
const once = { calls: 1, perMs: 60_000 };

function ratesOf(rates: GatewayRates) {
  const counted = new CallerRates(rates, { counts: new WindowCounts(virtualClock()) });
  return (what: 'calls' | 'lists', auth?: AuthInfo): Promise<string> =>
    counted.take(what, auth).then(
      () => 'taken',
      ({ message }: Error) => message,
    );
}

const tooMany = (what: string): string => `Too many requests: 1 ${what} per 60000 ms are allowed`;

test('calls and lists have limits of their own, and neither counts for the other', async () => {
  const take = ratesOf({ perPrincipal: once, lists: once });
  expect([await take('calls', ada), await take('lists', ada)]).toEqual(['taken', 'taken']);
  expect([await take('calls', ada), await take('lists', ada)]).toEqual([tooMany('calls'), tooMany('lists')]);
  const calls = ratesOf({ perPrincipal: once });
  expect([await calls('calls', ada), await calls('lists', ada), await calls('lists', ada)]).toEqual(
    Array(3).fill('taken'),
  );
});

test('the programs of a person count together; a person of another issuer, and callers without a name, count apart', async () => {
  const take = ratesOf({ perPrincipal: once });
  expect(await take('calls', ada)).toBe('taken');
  expect(await take('calls', { ...ada, clientId: 'chat', scopes: ['more'] })).toBe(tooMany('calls'));
  for (const other of [{ ...ada, issuer: 'https://other.example' }, { ...ada, subject: 'bob' }, undefined])
    expect(await take('calls', other)).toBe('taken');
  expect(await take('calls', undefined)).toBe(tooMany('calls'));
});

test('tokens without a subject count by their client and issuer, which is not a person of the same name', async () => {
  const take = ratesOf({ perPrincipal: once });
  const program = (clientId: string, issuer = 'https://id.example'): AuthInfo => ({ issuer, clientId, scopes: [] });
  expect([await take('calls', program('backup')), await take('calls', program('backup'))]).toEqual([
    'taken',
    tooMany('calls'),
  ]);
  expect(await take('calls', program('backup', 'https://other.example'))).toBe('taken');
  expect([await take('calls', program('ada')), await take('calls', ada)]).toEqual(['taken', 'taken']);
});

test('while the shared store is away, this process counts', async () => {
  const store = { take: () => Promise.reject(new Error('away')) };
  const take = ratesOf({ perPrincipal: once, store });
  expect([await take('calls', ada), await take('calls', ada)]).toEqual(['taken', tooMany('calls')]);
});
