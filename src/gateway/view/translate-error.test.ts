/** Errors of upstreams, as callers get them. */
import { expect, test } from 'vitest';
import { RpcError } from '../../errors.ts';
import { revisions } from '../../revisions/index.ts';
import { answerFailure } from './translate-error.ts';

type Routed = Parameters<typeof answerFailure>[1];

function answered(error: RpcError): unknown {
  const part = { label: 'shop', key: 'buy', name: 'shop_buy' };
  const routed = { method: 'tools/call', part, revision: revisions[0], caller: { capabilities: {} } };
  try {
    return answerFailure(error, routed as unknown as Routed, revisions[0]); // the members that are read
  } catch (thrown) {
    return thrown;
  }
}

test('whether a request is sent again is not for an upstream to say', () => {
  expect(answered(new RpcError(-32_000, 'busy', { retryAfterMs: 5 }))).toMatchObject({
    message: 'busy',
    data: undefined,
  });
});

test('an error goes on as it is, up to 8 KiB of text and as much data', () => {
  const short = new RpcError(-32_000, 'x'.repeat(8_192), { detail: 'x'.repeat(8_000) });
  expect(answered(short)).toBe(short);
  const cut = { message: 'x'.repeat(8_192), data: undefined };
  expect(answered(new RpcError(-32_000, 'x'.repeat(8_193), { detail: 'x' }))).toMatchObject(cut);
  expect(answered(new RpcError(-32_000, 'no', { detail: 'x'.repeat(8_193) }))).toMatchObject({ data: undefined });
});
