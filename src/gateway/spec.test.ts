/** Errors for invalid options and rules, for programs without TypeScript. */
import { expect, test } from 'vitest';
import { createServer } from '../index.ts';
import { createGateway } from './gateway.ts';
import { gatewayRules } from './policy/gateway-rules.ts';
import type { GatewaySpec } from './spec.ts';

const shop = createServer({ name: 'shop', version: '1', parts: [] });
const named = { name: 'acme', version: '1' };
const what = 'createGateway({ name, version, upstreams }):';
const upstream = 'The upstream "shop": it must be a server, a transport, { url } or { command, args }';

test.each([
  [undefined, `${what} the options must be an object, not undefined`],
  [{ upstreams: { shop } }, `${what} "name" and "version" must be text`],
  [named, `${what} "upstreams" must be an object of servers by label, not undefined`],
  [{ ...named, upstreams: [shop] }, `${what} "upstreams" must be an object of servers by label, not a list`],
  [{ ...named, upstreams: { shop }, polcy: [] }, `${what} there is no option "polcy"; did you mean policy?`],
  [{ ...named, upstreams: { shop }, views: { x: ['shop'] } }, 'The view "x": it must be { of: [ … ] }, with labels'],
  [{ ...named, upstreams: { shop: undefined } }, `${upstream}, not undefined`],
  [{ ...named, upstreams: { shop: 'https://shop.example/mcp' } }, `${upstream}, not text`],
  [{ ...named, upstreams: { shop: Promise.resolve(shop) } }, upstream],
  [
    { ...named, upstreams: { shop: { server: shop, isolat: 'call' } } },
    'there is no option "isolat"; did you mean isolate?',
  ],
  [
    { ...named, upstreams: { shop: { server: shop, timeouts: { callMS: 1 } } } },
    'there is no option "callMS"; did you mean callMs or',
  ],
  [
    { ...named, upstreams: { shop }, policy: gatewayRules.allow({}) },
    'it takes a list of rules that gatewayRules makes',
  ],
])('a gateway that cannot be meant says what to write: %#', (spec, why) => {
  expect(() => createGateway(spec as unknown as GatewaySpec)).toThrow(why); // the compiler would report it
});

test('rules of a gateway need what to match, and a budget its limits', () => {
  const { allow, budget } = gatewayRules as unknown as Record<'allow' | 'budget', (match?: object) => unknown>; // as above
  expect(() => allow()).toThrow('The rule: it needs what to match');
  expect(() => budget({})).toThrow('The rule: a budget needs its limits');
});
