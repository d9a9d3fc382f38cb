/** Revisions with a handshake, served without sessions. */
import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeReply, knock } from '../../../test/support/fake-http.ts';
import { request } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { taskWorld } from '../../../test/support/tasks.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';

const none = { sessions: 'none' } as const;
const ping = (service: HttpService, version?: string): Promise<FakeReply> =>
  knock(service, { headers: { 'mcp-protocol-version': version }, body: request('it', 'ping') });

describe('a request without a session', () => {
  test('a request without a session is served in the revision of its header, or in the assumed one', async () => {
    const newer = new HttpService(port({ revisions: ['2025-06-18', '2025-11-25'] }).server, none);
    const versions = ['2025-06-18', '2025-11-25', '2025-03-26', '2024-11-05', undefined];
    const statuses = await Promise.all(versions.map(async (version) => (await ping(newer, version)).status));
    expect(statuses).toEqual([200, 200, 400, 400, 400]);
    const { json } = await knock(newer, { body: request(1, 'initialize', hello('2025-03-26')) });
    expect(json['result']).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  test('a request for a revision that is not served gets an error with its id and up to 50 characters of the revision', async () => {
    const service = new HttpService(port({ revisions: ['2025-11-25'] }).server, none);
    const told = async (version?: string): Promise<unknown[]> => {
      const { json } = await ping(service, version);
      return [json['id'], json.error?.message];
    };
    const text = (version: string): string => `Bad request: MCP-Protocol-Version ${version} is not supported here`;
    expect(await told(`y${'x'.repeat(50)}`)).toEqual(['it', text(`"y${'x'.repeat(49)}"`)]);
    expect(await told()).toEqual(['it', text('""')]);
  });
});

test.each<[string, HttpOptions['sessions'], boolean]>([
  ['without sessions, an unknown caller', 'none', false],
  ['with a sealed session, an unknown caller', { sealed: [new Uint8Array(32)] }, true],
])(
  '%s can list tasks: only callers that can be told apart have lists of their own',
  async (_who, sessions, isOffered) => {
    const { server } = taskWorld(() => 'done');
    const offered = async (options: HttpOptions): Promise<boolean> => {
      const service = new HttpService(server, { sessions, ...options });
      const { json } = await knock(service, { body: request(1, 'initialize', hello('2025-11-25')) });
      const { capabilities } = json['result'] as { capabilities: { tasks: JsonObject } };
      expect(capabilities.tasks).toHaveProperty('cancel');
      return 'list' in capabilities.tasks;
    };
    expect([await offered({}), await offered({ auth: () => ({ subject: 'ada', scopes: [] }) })]).toEqual([
      isOffered,
      true,
    ]);
  },
);

test.each<[string, HttpOptions['sessions']]>([
  ['sealed sessions', { sealed: [new Uint8Array(32)] }],
  ['no sessions', 'none'],
])('the method shutdown, which no revision defines, gets a response with %s', async (_which, sessions) => {
  const service = new HttpService(port().server, { sessions });
  const met = await knock(service, { body: request(1, 'initialize', hello('2025-11-25')) });
  const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'], 'mcp-protocol-version': '2025-11-25' };
  const { json } = await knock(service, { headers, body: request(2, 'shutdown') });
  expect(json).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
});
