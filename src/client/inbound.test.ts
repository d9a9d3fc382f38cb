import { describe, expect, test } from 'vitest';
import type { Handler } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { ToolError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { UrlRequest } from './handlers.ts';
import type { ConnectOptions } from './options.ts';

const withHandshake = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const form = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'yo' } } as const;
const named: ConnectOptions['elicit'] = () => ({ action: 'accept', content: { name: 'Ada' } });

/** The response that a server gets to its request. */
async function asked(
  options: ConnectOptions,
  method: string,
  params?: JsonObject,
  revision = HANDSHAKE,
): Promise<JsonObject> {
  await using it = await opened({ revision }, options);
  const response = await it.server.line.ask(method, params);
  return 'error' in response ? { ...response.error } : response.result;
}

describe('a server that asks', () => {
  test.each(withHandshake)('a ping of the server gets an answer in %s', async (revision) => {
    verifies('PING-001');
    expect(await asked({}, 'ping', undefined, revision)).toEqual({});
  });

  test('a question for roots gets them, or an error where the client has none', async () => {
    verifies('ROOT-8');
    const roots = [{ uri: 'file:///a', name: 'A' }];
    expect(await asked({ roots }, 'roots/list')).toEqual({ roots });
    expect(await asked({ roots: async () => roots }, 'roots/list')).toEqual({ roots });
    expect(await asked({}, 'roots/list')).toMatchObject({ code: -32601 });
  });

  test('a failing roots handler is reported to the server without details', async () => {
    verifies('ROOT-8', 'ROOT-11');
    await using it = await opened({ revision: HANDSHAKE }, { roots: () => [{ uri: 'file:///a/../../etc' }] });
    expect(await it.server.line.ask('roots/list')).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
    expect(it.warnings).toEqual([expect.stringContaining('must not climb')]);
  });

  test('a server that asks the user gets the validated answer, completed with defaults', async () => {
    verifies('ELIC-16', 'ELIC-22');
    expect(await asked({ elicit: named }, 'elicitation/create', form)).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    expect(await asked({ elicit: { form: named } }, 'elicitation/create', { mode: 'form', ...form })).toMatchObject({
      action: 'accept',
    });
  });

  test('a question in an undeclared mode gets an error', async () => {
    verifies('ELIC-37', 'ELIC-3');
    const url = { mode: 'url', message: 'Go', url: 'https://a.example', elicitationId: '1' };
    expect(await asked({}, 'elicitation/create', form)).toMatchObject({ code: -32601 });
    expect(await asked({ elicit: named }, 'elicitation/create', url)).toMatchObject({ code: -32602 });
    expect(await asked({ elicit: named }, 'elicitation/create', { ...form, mode: 'dance' })).toMatchObject({
      code: -32602,
    });
    const visit: ConnectOptions['elicit'] = { url: () => ({ action: 'accept' }) };
    expect(await asked({ elicit: visit }, 'elicitation/create', form)).toMatchObject({ code: -32602 });
    // Older revisions have no URL elicitation.
    expect(await asked({ elicit: visit }, 'elicitation/create', form, '2025-06-18')).toMatchObject({ code: -32601 });
    expect(await asked({ elicit: named }, 'elicitation/create', form, '2025-03-26')).toMatchObject({ code: -32601 });
  });

  test('a sampling answer is encoded for the revision, as one block where it has only one', async () => {
    verifies('SAMP-27');
    const twice = { ...said, content: [said.content, said.content] };
    expect(await asked({ sample: () => said }, 'sampling/createMessage', sampling)).toEqual(said);
    expect(await asked({ sample: () => twice }, 'sampling/createMessage', sampling)).toEqual(twice);
    const old = await asked({ sample: () => twice }, 'sampling/createMessage', sampling, '2025-06-18');
    expect(old['content']).toEqual({ type: 'text', text: 'yo\nyo' });
  });

  test('a second sampling request contains nothing of the first', async () => {
    verifies('SAMP-17');
    const seen: number[] = [];
    const sample: ConnectOptions['sample'] = ({ messages }) => {
      seen.push(messages.length);
      return said;
    };
    await using it = await opened({ revision: HANDSHAKE }, { sample });
    for (let i = 0; i < 2; i++) await it.server.line.ask('sampling/createMessage', sampling);
    expect(seen).toEqual([1, 1]);
  });

  test('sampling is rejected if the user declines, the capability is not declared, or the messages are invalid', async () => {
    verifies('SAMP-33', 'SAMP-11', 'SAMP-34');
    const refuse = (): never => {
      throw new ToolError('Too dear');
    };
    const ask = (options: ConnectOptions, more: JsonObject = {}): Promise<JsonObject> =>
      asked(options, 'sampling/createMessage', { ...sampling, ...more });
    expect(await ask({})).toMatchObject({ code: -32601 });
    expect(await ask({ sample: () => 'declined' })).toEqual({ code: -1, message: 'User rejected sampling request' });
    expect(await ask({ sample: refuse })).toEqual({ code: -1, message: 'Too dear' });
    expect(await ask({ sample: () => said }, { tools: [] })).toMatchObject({ code: -32602 });
    expect(await ask({ sample: { create: () => said, tools: true } }, { tools: [] })).toEqual(said);
    const stray = [{ role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } }];
    expect(await ask({ sample: () => said }, { messages: stray })).toMatchObject({ code: -32602 });
  });

  test('any other request of the server gets method not found', async () => {
    expect(await asked({}, 'tools/list')).toMatchObject({ code: -32601 });
    expect(await asked({}, 'made/up')).toMatchObject({ code: -32601 });
  });

  test('a server does not get the message of an error that a handler throws', async () => {
    const secret = (): never => {
      throw new Error('password is 1234');
    };
    expect(await asked({ elicit: secret }, 'elicitation/create', form)).toEqual({
      code: -32603,
      message: 'Internal error',
    });
  });

  test('a server request gets no response in a revision without server requests', async () => {
    verifies('BASE-021', 'STDIO-012');
    await using it = await opened({ revision: STATELESS }, { roots: [] });
    void it.server.line.ask('roots/list');
    void it.server.line.ask('ping');
    await settled();
    expect(it.server.methods).toEqual(['server/discover']);
    expect(it.server.heard).toHaveLength(1);
    expect(it.warnings).toHaveLength(2);
  });

  test.each<[string, readonly unknown[]]>([
    ['malformed', [{ jsonrpc: '2.0', id: 1, method: 5 }]],
    ['without a readable id', [{ jsonrpc: '2.0', id: null, method: 'ping' }]],
    ['no message at all', [{}, 'x', 7]],
    ['an array', [[{ jsonrpc: '2.0', id: 1, method: 'ping' }]]],
    ['sent twice at once', [1, 1].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))],
  ])('a malformed server request gets no response in a revision without server requests: %s', async (_what, said) => {
    verifies('BASE-021', 'STDIO-012');
    await using it = await opened({ revision: STATELESS }, { roots: [] });
    for (const value of said) it.server.line.say(value);
    await settled();
    expect(it.server.heard).toHaveLength(1);
  });

  test('a server request before discovery gets no response if no allowed revision has server requests', async () => {
    verifies('BASE-021', 'STDIO-012');
    const discover: Handler = (_params, line) => {
      void line.ask('ping');
      void line.ask('roots/list');
      return { supportedVersions: [STATELESS], capabilities: {}, ttlMs: 0, cacheScope: 'private' };
    };
    await using it = await opened({ revision: STATELESS, on: { 'server/discover': discover } }, { roots: [] });
    await settled();
    expect(it.server.heard).toHaveLength(1);
  });

  test('a batch of server requests gets a batch of responses in the revision that has batches', async () => {
    verifies('STDIO-010');
    await using it = await opened({ revision: '2025-03-26' });
    it.server.line.say([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    await settled();
    expect(it.server.heard.at(-1)).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} })));
  });

  test('a question before the end of the handshake is rejected, and a ping is not', async () => {
    const responses: unknown[] = [];
    const initialize = async (_params: JsonObject, line: { ask(m: string): Promise<unknown> }): Promise<JsonObject> => {
      responses.push(await line.ask('ping'), await line.ask('roots/list'));
      return { protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: { name: 's', version: '1' } };
    };
    await using it = await opened({ revision: HANDSHAKE, on: { initialize } }, { roots: [] });
    expect(responses).toMatchObject([{ result: {} }, { error: { code: -32600 } }]);
    expect(it.client.state).toBe('ready');
  });

  test('a server can cancel its question', async () => {
    verifies('CANCEL-006');
    let signal: AbortSignal | undefined;
    const wait: ConnectOptions['elicit'] = (_request, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    };
    await using it = await opened({ revision: HANDSHAKE }, { elicit: wait });
    void it.server.line.ask('elicitation/create', form);
    await settled();
    it.server.line.notify('notifications/cancelled', { requestId: 'ask-1', reason: 'never mind' });
    expect(signal?.aborted).toBe(true);
  });
});

describe('a page to visit', () => {
  // Ids are opaque: case, blanks and digits must be preserved.
  const elicitationId = ' Visit/1 "ü" 007';
  const url = { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId };

  test('a page to visit is opened by the handler alone, and reported when the visit is over', async () => {
    verifies('ELIC-23', 'ELIC-27', 'ELIC-30');
    let seen: UrlRequest | undefined;
    const visit: ConnectOptions['elicit'] = {
      url: (request) => {
        seen = request;
        return { action: 'accept' };
      },
    };
    await using it = await opened({ revision: HANDSHAKE }, { elicit: visit });
    expect(await it.server.line.ask('elicitation/create', url)).toMatchObject({ result: { action: 'accept' } });
    expect(seen).toMatchObject({ url: 'https://pay.example/1', host: 'pay.example', warnings: [] });
    let over = 0;
    void seen?.completed.then(() => over++);
    const others = ['other', 7, undefined, elicitationId.trim(), elicitationId.toLowerCase(), ' Visit/1 "ü" 7'];
    for (const other of others) it.server.line.notify('notifications/elicitation/complete', { elicitationId: other });
    await settled();
    expect(over).toBe(0);
    for (let i = 0; i < 2; i++) it.server.line.notify('notifications/elicitation/complete', { elicitationId });
    await settled();
    expect(over).toBe(1);
    expect([it.warnings, it.client.state]).toEqual([[], 'ready']);
  });
});

describe('a notification', () => {
  test('a log message reaches onLog', async () => {
    verifies('LOG-2', 'LOG-17');
    const logged: unknown[] = [];
    await using it = await opened({ revision: HANDSHAKE }, { onLog: (message) => logged.push(message) });
    const { line } = it.server;
    line.notify('notifications/message', { level: 'notice', logger: 'db', data: { a: 1 } });
    line.notify('notifications/message', { level: 'loud', data: 'x' });
    line.notify('notifications/message', { level: 'debug', logger: 7, data: 'x' });
    line.notify('notifications/message');
    await settled();
    expect(logged).toEqual([
      { level: 'notice', logger: 'db', data: { a: 1 } },
      { level: 'debug', data: 'x' },
    ]);
  });

  test('an unknown notification is ignored', async () => {
    verifies('SEED-2', 'SEED-3', 'BASE-019');
    await using it = await opened({ revision: HANDSHAKE });
    const before = it.server.heard.length;
    for (const method of ['initialized', 'notifications/initialized', 'disconnected', 'made/up'])
      it.server.line.notify(method);
    await settled();
    expect(it.server.heard).toHaveLength(before);
    expect(it.client.state).toBe('ready');
  });

  test('a listener that throws harms nothing else', async () => {
    const onLog = (): never => {
      throw new Error('full');
    };
    await using it = await opened({ revision: HANDSHAKE }, { onLog });
    it.server.line.notify('notifications/message', { level: 'info', data: 'x' });
    await settled();
    expect(it.warnings).toEqual(['onLog threw Error: full']);
  });
});

describe('a deprecated feature', () => {
  test('is warned about once, where it is used in a revision that deprecates it', async () => {
    verifies('BASE-091', 'EXT-13');
    const ask = {
      resultType: 'input_required',
      inputRequests: { a: { method: 'roots/list', params: {} } },
      requestState: 's',
    };
    const on = { 'tools/call': (params: JsonObject): JsonObject => ('requestState' in params ? { content: [] } : ask) };
    await using it = await opened({ on }, { roots: [{ uri: 'file:///a' }] });
    expect(it.warnings).toEqual([]);
    await it.client.call('t');
    await it.client.call('t');
    expect(it.warnings).toEqual([expect.stringMatching(/deprecates roots \(SEP-2577\)/)]);
    await using old = await opened({ revision: HANDSHAKE }, { roots: [] });
    await old.server.line.ask('roots/list');
    expect(old.warnings).toEqual([]);
  });
});
