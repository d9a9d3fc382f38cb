/** Which keys of `_meta` are forwarded, and how chained gateways are counted. */
import { expect, test } from 'vitest';
import { FROM, HOPS, hopsOf, requestMeta, resultMeta } from './gateway-meta.ts';

test.each([
  [undefined, 0],
  [{}, 0],
  [{ _meta: 'text' }, 0],
  [{ _meta: { [HOPS]: 2 } }, 2],
  [{ _meta: { [HOPS]: 2.1 } }, 3],
  [{ _meta: { [HOPS]: 0.5 } }, 1],
  [{ _meta: { [HOPS]: -3 } }, 0],
  [{ _meta: { [HOPS]: '3' } }, 0],
  [{ _meta: { [HOPS]: Number.NaN } }, 0],
])('the gateways that %j went through are %d', (params, hops) => {
  expect(hopsOf(params)).toBe(hops);
  expect(requestMeta(params)[HOPS]).toBe(hops + 1);
});

test("a request's own keys and its trace go on, keys of the protocol and the caller's count of hops do not", () => {
  const _meta = {
    traceparent: '00-1-2-00',
    tracestate: 'a=b',
    'shop.example/note': 1,
    progressToken: 7,
    'io.modelcontextprotocol/clientInfo': { name: 'x' },
    [HOPS]: 1,
  };
  expect(requestMeta({ _meta })).toEqual({
    traceparent: '00-1-2-00',
    tracestate: 'a=b',
    'shop.example/note': 1,
    [HOPS]: 2,
  });
  expect(requestMeta({ _meta: { progressToken: 7 } })).toEqual({ [HOPS]: 1 });
});

test('keys of a request that are longer than 8 KiB together are left out, all of them', () => {
  const of = (length: number) => requestMeta({ _meta: { note: 'x'.repeat(length) } });
  const around = JSON.stringify({ note: '' }).length;
  expect(of(8 * 1024 - around)).toHaveProperty('note');
  expect(of(8 * 1024 - around + 1)).toEqual({ [HOPS]: 1 });
});

test('a result says which upstream it is from, whatever the upstream says of that', () => {
  expect(resultMeta({}, 'shop')).toEqual({ [FROM]: 'shop' });
  expect(resultMeta({ _meta: null }, 'shop')).toEqual({ [FROM]: 'shop' });
  const _meta = { [FROM]: 'bank', 'shop.example/note': 1, 'io.modelcontextprotocol/serverInfo': {} };
  expect(resultMeta({ _meta }, 'shop')).toEqual({ [FROM]: 'shop', 'shop.example/note': 1 });
});
