import { expect, test } from 'vitest';
import type { RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import { LiveStates } from './against.ts';

const response = (result: Record<string, unknown>): RpcResponse => ({ jsonrpc: '2.0', id: 1, result }) as RpcResponse; // by the protocol
const request = (params: Record<string, unknown>): RpcRequest =>
  ({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }) as RpcRequest; // by the protocol

test('the next round of a call is sent with the state of the live server', () => {
  const states = new LiveStates();
  const live = response({ resultType: 'input_required', requestState: 'live' });
  expect(states.toRecorded(response({ resultType: 'input_required', requestState: 'then' }), live)).toEqual(
    response({ resultType: 'input_required', requestState: 'then' }),
  );
  expect(states.toLive(request({ name: 'refund', requestState: 'then' })).params).toEqual({
    name: 'refund',
    requestState: 'live',
  });
});

test('a state that appears or is missing in a live response stays a difference', () => {
  const states = new LiveStates();
  for (const live of [response({}), response({ requestState: 5 })])
    expect(states.toRecorded(response({ requestState: 'then' }), live)).toBe(live);
  const more = response({ requestState: 'live' });
  expect(states.toRecorded(response({}), more)).toBe(more);
  const failed = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'x' } } as const;
  expect(states.toRecorded(response({ requestState: 'then' }), failed)).toBe(failed);
  expect(states.toRecorded(failed, more)).toBe(more);
});

test('a request with a state that was never recorded is sent as it is', () => {
  const unknown = request({ requestState: 'other' });
  expect(new LiveStates().toLive(unknown)).toBe(unknown);
});
