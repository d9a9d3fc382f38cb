import { describe, expect, test } from 'vitest';
import { notification, request } from '../jsonrpc/message.ts';
import { SERVER_INFO } from '../model/names.ts';
import { messageSummary } from './message-summary.ts';

const result = (value: object) => ({ jsonrpc: '2.0', id: 1, result: value });

describe('the summary of a message', () => {
  test.each([
    [
      'arguments',
      request(1, 'tools/call', { name: 'refund', arguments: { order: 'A-1' }, _meta: {} }),
      '{"order":"A-1"}',
    ],
    ['a question', request(1, 'elicitation/create', { message: 'Refund\n it?', requestedSchema: {} }), 'Refund it?'],
    [
      'progress',
      notification('notifications/progress', { progressToken: 1, progress: 2, total: 30, message: 'container 2' }),
      '2 of 30: container 2',
    ],
    ['a log line', notification('notifications/message', { level: 'info', data: { a: 1 } }), 'info: {"a":1}'],
    ['a cancelled request', notification('notifications/cancelled', { requestId: 7, reason: 'late' }), 'late'],
    [
      'a completion',
      request(1, 'completion/complete', {
        ref: { type: 'ref/prompt', name: 'thank' },
        argument: { name: 'who', value: 'A' },
      }),
      'who: A',
    ],
    [
      'a handshake',
      request(1, 'initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'desk', version: '1' } }),
      'desk 1, asks for 2025-11-25',
    ],
    [
      'a sampling request',
      request(1, 'sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'Two?' } }] }),
      'Two?',
    ],
    [
      'the text of a result',
      result({
        content: [
          { type: 'text', text: 'Refunded' },
          { type: 'image', mimeType: 'image/png' },
        ],
      }),
      'Refunded image/png',
    ],
    ['data without text', result({ content: [], structuredContent: { sum: 3 } }), '{"sum":3}'],
    ['the names of a list', result({ tools: [{ name: 'refund' }, { name: 'ship' }] }), '2 tools: refund, ship'],
    ['a list of one', result({ resourceTemplates: [{ name: 'order' }] }), '1 template: order'],
    ['suggestions', result({ completion: { values: ['Dawn', 'Dusk'] } }), '2 values: Dawn, Dusk'],
    [
      'what a server speaks',
      result({
        supportedVersions: ['2026-07-28', '2025-11-25'],
        capabilities: { tools: {}, prompts: {} },
        _meta: { [SERVER_INFO]: { name: 'shop', version: '2' } },
      }),
      'shop 2, speaks 2026-07-28, 2025-11-25; tools, prompts',
    ],
    [
      'what a server without a name speaks',
      result({ supportedVersions: ['2026-07-28'], capabilities: {} }),
      'a program without a name, speaks 2026-07-28',
    ],
    [
      'what is listened to',
      request(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
      'toolsListChanged',
    ],
    ['an answer', result({ action: 'accept', content: { sure: true } }), 'accept {"sure":true}'],
    ['an interim result', result({ resultType: 'input_required', inputRequests: { sure: {} } }), 'asks for sure'],
    ['a task', result({ task: { taskId: 't', status: 'working', statusMessage: 'frame 2' } }), 'working: frame 2'],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no such tool' } }, 'no such tool'],
    ['a request over HTTP', { method: 'POST', url: 'http://127.0.0.1/mcp', status: 200 }, 'http://127.0.0.1/mcp'],
  ])('messageSummary() shows %s', (_, message, summary) => {
    expect(messageSummary(message as never)).toBe(summary);
  });

  test('messageSummary() is undefined without further content, and truncates long text', () => {
    expect(messageSummary(request(1, 'ping') as never)).toBeUndefined();
    expect(messageSummary(result({}))).toBeUndefined();
    const long = messageSummary(result({ content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] }));
    expect(long).toHaveLength(160);
    expect(long).toMatch(/…$/);
  });
});
