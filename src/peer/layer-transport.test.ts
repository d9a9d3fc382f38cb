import { expect, test } from 'vitest';
import type { Connection } from './exchange.ts';
import { connectionWith } from './layer-transport.ts';

test('a connection wrapped in layers has all members of the connection of the transport', async () => {
  const silent = new Error('nothing came');
  const connection: Required<Connection> = {
    exchange: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
    closed: Promise.resolve(undefined),
    replies: true,
    silence: () => silent,
    credentials: { last: 1, now: () => Promise.resolve(1) },
    standing: { follow: () => () => undefined },
  };
  const exchange: Connection['exchange'] = () => Promise.resolve(undefined);
  const wrapped = connectionWith(connection, exchange);
  expect(Object.keys(wrapped).sort()).toEqual(Object.keys(connection).sort());
  expect(wrapped.exchange).toBe(exchange);
  expect(wrapped.silence?.()).toBe(silent);
  for (const name of ['closed', 'credentials', 'standing', 'replies'] as const)
    expect(wrapped[name]).toBe(connection[name]);
});
