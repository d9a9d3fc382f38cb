/** Visible parts are computed once per set of credentials, and never shared between two of them. */
import { expect, test } from 'vitest';
import type { AuthInfo } from '../../model/caller.ts';
import type { ExposedPart } from '../contract.ts';
import { ListedParts } from './listed-parts.ts';

const part: ExposedPart = { label: 'shop', kind: 'tool', key: 'x', name: 'shop__x', definition: {} };
const ada: AuthInfo = { issuer: 'https://id', subject: 'ada', clientId: 'desk', scopes: ['read'], claims: { a: 1 } };

/** Records whom it decides for, and allows only the first. */
function countedParts() {
  const parts = new ListedParts();
  const decided: (string | undefined)[] = [];
  const get = (auth: AuthInfo | undefined, of: ExposedPart = part): boolean =>
    parts.get(of, auth, () => decided.push(auth?.subject) === 1);
  return { get, decided };
}

test('what holds for all callers is decided once for each part', () => {
  const { get, decided } = countedParts();
  expect([get(undefined), get(undefined), get(undefined, { ...part }), get(undefined)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(decided).toHaveLength(2);
});

test('the same credentials in another object are not decided again', () => {
  const { get, decided } = countedParts();
  expect([get(ada), get({ ...ada }), get(structuredClone(ada)), get(ada)]).toEqual([true, true, true, true]);
  expect(decided).toEqual(['ada']);
});

test.each<[string, Partial<AuthInfo>]>([
  ['issuer', { issuer: 'https://other' }],
  ['subject', { subject: 'bob' }],
  ['client', { clientId: 'phone' }],
  ['scopes', { scopes: ['read', 'write'] }],
  ['no scopes', { scopes: [] }],
  ['claims', { claims: { a: '1' } }],
])('what was decided for one caller is not said to one with other credentials: %s', (_, other) => {
  const { get, decided } = countedParts();
  expect([get(ada), get({ ...ada, ...other }), get(undefined)]).toEqual([true, false, false]);
  expect(decided).toHaveLength(3);
});

test('of more than 1,000 callers, the one that called longest ago is forgotten', () => {
  const { get, decided } = countedParts();
  const nth = (n: number): AuthInfo => ({ ...ada, subject: `caller ${n}` });
  for (let n = 0; n < 1_000; n++) get(nth(n));
  get(nth(0));
  get(nth(1_000));
  expect(decided).toHaveLength(1_001);
  get(nth(0));
  get(nth(2));
  expect(decided).toHaveLength(1_001);
  get(nth(1));
  expect(decided.at(-1)).toBe('caller 1');
});
