/** How a client reads an interim result, including malformed ones. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { retry } from './strategies.ts';

const interim = (members: JsonObject): JsonObject => ({ resultType: 'input_required', ...members });

test('an interim result without questions is read with its state', () => {
  expect(retry.inputRequests(interim({ requestState: 'sealed' }))).toStrictEqual({
    requests: new Map(),
    state: 'sealed',
  });
  expect(retry.inputRequests(interim({ requestState: '' }))).toStrictEqual({ requests: new Map(), state: '' });
});

test('a complete result has no input requests', () => {
  expect(retry.inputRequests({ resultType: 'complete', inputRequests: {}, requestState: 'sealed' })).toBeUndefined();
});

test.each([[undefined], [null], ['roots/list'], [[{ method: 'roots/list' }]]])(
  'input requests that are %j instead of an object are ignored',
  (inputRequests) => {
    expect(retry.inputRequests(interim({ inputRequests }))).toStrictEqual({ requests: new Map() });
  },
);

test('a question without a method is skipped', () => {
  const inputRequests = {
    nothing: null,
    text: 'roots/list',
    number: { method: 5 },
    good: { method: 'roots/list' },
    better: { method: 'elicitation/create', params: { message: 'Name?' } },
    odd: { method: 'roots/list', params: 'none' },
  };
  expect(retry.inputRequests(interim({ inputRequests }))?.requests).toStrictEqual(
    new Map([
      ['good', { method: 'roots/list', params: {} }],
      ['better', { method: 'elicitation/create', params: { message: 'Name?' } }],
      ['odd', { method: 'roots/list', params: {} }],
    ]),
  );
});

test('a state that is no text is not sent back', () => {
  expect(retry.inputRequests(interim({ requestState: 5 }))).toStrictEqual({ requests: new Map() });
});
