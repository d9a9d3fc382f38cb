import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { nothing, wire } from '../../test/support/wire.ts';
import { RpcError } from '../errors.ts';
import {
  failure,
  type Message,
  notification,
  type RpcRequest,
  type RpcResponse,
  request,
  success,
} from '../jsonrpc/message.ts';
import { CANCELLED, LISTEN, PROGRESS } from '../model/names.ts';
import { detachedLink } from './call-link.ts';
import { Duplex } from './duplex.ts';
import type { Exchange, Link } from './exchange.ts';
import { nextTurn } from './runtime.ts';

const echo: Exchange = (message) => Promise.resolve('id' in message ? success(message.id as string, {}) : undefined);

/** Holds each request open until the test answers it. */
function held(): { inbound: Exchange; open: { link: Link; answer: (response: RpcResponse) => void }[] } {
  const open: { link: Link; answer: (response: RpcResponse) => void }[] = [];
  const inbound: Exchange = (_, link) => new Promise((answer) => open.push({ link, answer }));
  return { inbound, open };
}

describe('responding', () => {
  test('the end of a subscription is sent twice: as its response, and as notifications/cancelled', async () => {
    verifies('CANCEL-016', 'CANCEL-017');
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request('news', LISTEN));
    duplex.receive(request(1, 'tools/call'));
    open[0]?.answer(success('news', {}));
    open[1]?.answer(success(1, {}));
    await nextTurn();
    expect(sent).toEqual([success('news', {}), notification(CANCELLED, { requestId: 'news' }), success(1, {})]);
  });

  test('a subscription that fails is answered once', async () => {
    const { duplex, sent } = wire(() => Promise.resolve(failure('news', new RpcError(-32602, 'no'))));
    duplex.receive(request('news', LISTEN));
    await nextTurn();
    expect(sent).toEqual([failure('news', new RpcError(-32602, 'no'))]);
  });

  test('a message with a method and a result is a malformed request, not a response', async () => {
    const { duplex, sent } = wire(echo);
    duplex.receive({ jsonrpc: '2.0', id: 1, method: 'ping', result: {} });
    await nextTurn();
    expect(sent).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  test('a side that must not respond sends no response, not even to a malformed request', async () => {
    const { duplex, sent } = wire(echo, { session: { mustNotRespond: true } });
    duplex.receive(request(1, 'ping'));
    duplex.receive({ jsonrpc: '2.0', id: 2, method: 'ping', params: 7 });
    await nextTurn();
    expect(sent).toEqual([]);
  });

  test('a response that cannot be written as JSON becomes an error, also if strays are not reported', async () => {
    const sent: unknown[] = [];
    const inbound: Exchange = () => Promise.resolve(success(1, { big: 1n }));
    const send = (message: unknown): void => void sent.push(JSON.parse(JSON.stringify(message)));
    new Duplex({ send, inbound, session: {} }).receive(request(1, 'ping'));
    await nextTurn();
    expect(sent).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  test('push() sends messages that belong to no request, and names the client only if it has an id', async () => {
    const { duplex, sent } = wire(echo);
    let ended = 0;
    const push = duplex.push(() => ended++, 'ada');
    expect([push.id, 'id' in duplex.push(() => undefined)]).toEqual(['ada', false]);
    push.notify(notification('notifications/message', { level: 'info' }));
    const asked = push.ask(request(0, 'roots/list'));
    expect(sent).toEqual([notification('notifications/message', { level: 'info' }), request(1, 'roots/list')]);
    duplex.receive(success(1, { roots: [] }));
    expect(await asked).toEqual(success(0, { roots: [] }));
    push.end();
    expect(ended).toBe(1);
  });

  test('a response has the id of its request, of the same type', async () => {
    verifies('BASE-009');
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ maxLength: 1024 }), fc.maxSafeInteger()), async (id) => {
        const { duplex, sent } = wire(echo);
        duplex.receive({ jsonrpc: '2.0', id, method: 'ping' });
        await nextTurn();
        expect(sent).toEqual([success(id, {})]);
      }),
    );
  });

  test('a notification gets no response, not even if it is malformed or its handler fails', async () => {
    verifies('BASE-019');
    const seen: Message[] = [];
    const inbound: Exchange = (message) => {
      seen.push(message);
      throw new RpcError(-32602, 'no');
    };
    const { duplex, sent, strays } = wire(inbound, { session: { batches: true } });
    duplex.receive(notification('notifications/initialized'));
    duplex.receive({ jsonrpc: '2.0', method: 'notifications/initialized', params: [] });
    duplex.receive([{ jsonrpc: '2.0', method: 'notifications/initialized', params: null }]);
    await nextTurn();
    expect(seen).toHaveLength(1);
    expect(strays).toHaveLength(2);
    expect(sent).toEqual([]);
  });

  test.each([
    [() => Promise.reject(new Error('secret path'))],
    [
      () => {
        throw new Error('secret path');
      },
    ],
  ])('an exchange that fails sends -32603 without the message of the error', async (inbound) => {
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'x'));
    await nextTurn();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]);
    await duplex.drained();
  });

  test('a response that cannot be serialized becomes the error -32603', async () => {
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    const { duplex, sent, strays } = wire(() => Promise.resolve(success(5, loop)));
    duplex.receive(request(5, 'x'));
    await nextTurn();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'Internal error' } }]);
    expect(strays).toEqual(['response that cannot be written as JSON']);
  });

  test.each([
    [{ jsonrpc: '2.0', id: 3, method: 5 }, 3],
    [{ jsonrpc: '2.0', id: 'a', method: 'x', params: [] }, 'a'],
    [{ id: 4, method: 'x' }, 4],
    [{ jsonrpc: '2.0', id: 1 }, 1],
    [{}, undefined],
    [{ jsonrpc: '2.0', id: null, method: 'x' }, undefined],
    [{ jsonrpc: '2.0', id: 'i'.repeat(1025), method: 'x' }, undefined],
    ['text', undefined],
    [17, undefined],
    [null, undefined],
    [[], undefined],
  ])('the malformed value %j is rejected with -32600 and the id %s', (value, id) => {
    const { duplex, sent, strays } = wire(echo);
    duplex.receive(value);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ error: { code: -32600, message: expect.stringMatching(/^Invalid request: /) } });
    expect((sent[0] as { id?: unknown }).id).toBe(id);
    expect(sent[0]).not.toHaveProperty('id', null);
    expect(strays).toHaveLength(1);
  });

  test('a response gets no response, however malformed', () => {
    const { duplex, sent } = wire(echo);
    for (const response of [{ result: 1 }, { jsonrpc: '2.0', id: 1, result: 1 }, { id: 1, error: 'x' }])
      duplex.receive(response);
    expect(sent).toEqual([]);
  });

  test('a duplex neither throws nor responds twice, whatever it receives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { duplex, sent } = wire(echo, { session: { batches: true } });
        duplex.receive(value);
        await nextTurn();
        expect(sent.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('a second request with the id of an open one is rejected', async () => {
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'x'));
    duplex.receive(request('1', 'x'));
    duplex.receive(request(1, 'y'));
    expect(open).toHaveLength(2);
    expect(sent).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  test('requests above the limit of open requests are rejected', () => {
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound, { maxInFlight: 3 });
    for (const id of [1, 2, 3]) duplex.receive(request(id, 'x'));
    expect(sent).toEqual([]);
    duplex.receive(request(4, 'x'));
    expect(open).toHaveLength(3);
    expect(sent).toMatchObject([{ id: 4, error: { message: expect.stringContaining('3 are open (maxInFlight)') } }]);
  });

  test('an exchange that resolves with undefined sends no response', async () => {
    const { duplex, sent } = wire(nothing);
    duplex.receive(request(1, 'x'));
    await nextTurn();
    expect(sent).toEqual([]);
  });
});

describe('the link of a request', () => {
  test('a handler can send notifications before its response, and none after it', async () => {
    verifies('PROGRESS-010');
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'x'));
    const [one] = open;
    one?.link.notify(notification(PROGRESS, { progress: 1 }));
    one?.answer(success(1, {}));
    await nextTurn();
    one?.link.notify(notification(PROGRESS, { progress: 2 }));
    await expect(one?.link.ask(request(1, 'roots/list'))).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    expect(sent).toEqual([notification(PROGRESS, { progress: 1 }), success(1, {})]);
  });

  test('a handler can send requests to the client', async () => {
    const inbound: Exchange = async (message, link) => {
      const answer = await link.ask(request('q', 'roots/list'));
      return success((message as RpcRequest).id, { answer });
    };
    const { duplex, sent } = wire(inbound);
    duplex.receive(request('theirs', 'x'));
    duplex.receive(success(1, { roots: [] }));
    await nextTurn();
    expect(sent).toEqual([request(1, 'roots/list'), success('theirs', { answer: success('q', { roots: [] }) })]);
  });

  test('a notification that cannot be written as JSON is dropped and reported', async () => {
    const { inbound, open } = held();
    const { duplex, sent, strays } = wire(inbound);
    duplex.receive(request(1, 'x'));
    open[0]?.link.notify(notification('n', { big: 1n }));
    expect(sent).toEqual([]);
    expect(strays).toEqual(['message that cannot be written as JSON']);
  });
});

describe('being cancelled', () => {
  test('a cancelled request aborts its handler with the reason, and gets no response', async () => {
    verifies('CANCEL-006', 'STDIO-016', 'STDIO-017');
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'tools/call'));
    duplex.receive(notification(CANCELLED, { requestId: 1, reason: 'changed my mind' }));
    const [one] = open;
    expect(one?.link.signal.reason).toMatchObject({ code: 'MCP_CANCELLED', details: { why: 'changed my mind' } });
    one?.link.notify(notification(PROGRESS, {}));
    await expect(one?.link.ask(request(1, 'roots/list'))).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    one?.answer(success(1, {}));
    await nextTurn();
    expect(sent).toEqual([]);
  });

  test('our request on behalf of a cancelled one is cancelled too', async () => {
    const inbound: Exchange = async (message, link) => {
      await link.ask(request('q', 'sampling/createMessage'));
      return success((message as RpcRequest).id, {});
    };
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'tools/call'));
    duplex.receive(notification(CANCELLED, { requestId: 1 }));
    await duplex.drained();
    expect(sent).toEqual([
      request(1, 'sampling/createMessage'),
      notification(CANCELLED, { requestId: 1, reason: 'no reason given' }),
    ]);
  });

  test('initialize cannot be cancelled', async () => {
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'initialize'));
    duplex.receive(notification(CANCELLED, { requestId: 1 }));
    open[0]?.answer(success(1, {}));
    await nextTurn();
    expect(sent).toEqual([success(1, {})]);
  });

  test.each([{}, { requestId: null }, { requestId: 99 }, { requestId: '1' }, { requestId: {} }, { requestId: [1] }])(
    'a cancellation with %j is ignored',
    async (params) => {
      verifies('CANCEL-007', 'CANCEL-012');
      const { inbound, open } = held();
      const { duplex, sent } = wire(inbound);
      duplex.receive(request(1, 'x'));
      duplex.receive(notification(CANCELLED, params));
      duplex.receive(notification(CANCELLED));
      open[0]?.answer(success(1, {}));
      await nextTurn();
      expect(sent).toEqual([success(1, {})]);
    },
  );

  test('a request that is cancelled while it is answered gets at most one response', async () => {
    verifies('CANCEL-009');
    const steps = fc.array(fc.record({ id: fc.integer({ min: 1, max: 4 }), cancel: fc.boolean() }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, fc.scheduler(), async (events, s) => {
        const { inbound, open } = held();
        const { duplex, sent } = wire(inbound);
        for (const id of [1, 2, 3, 4]) duplex.receive(request(id, 'x'));
        for (const { id, cancel } of events) {
          void s.schedule(Promise.resolve()).then(() => {
            if (cancel) duplex.receive(notification(CANCELLED, { requestId: id }));
            else open[id - 1]?.answer(success(id, {}));
          });
        }
        await s.waitAll();
        await nextTurn();
        const answered = sent.map((message) => (message as RpcResponse).id);
        expect(new Set(answered).size).toBe(answered.length);
      }),
    );
  });
});

describe('the end', () => {
  test('the end cancels open requests, and later messages are ignored', async () => {
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound);
    duplex.receive(request(1, 'x'));
    duplex.end(new Error('the pipe is gone'));
    duplex.receive(request(2, 'x'));
    duplex.receive('nonsense');
    expect(open).toHaveLength(1);
    expect(open[0]?.link.signal.reason).toEqual(new Error('the pipe is gone'));
    open[0]?.answer(success(1, {}));
    await duplex.drained();
    expect(sent).toEqual([]);
  });

  test('drained waits for responses and not for subscriptions', async () => {
    const { inbound, open } = held();
    const { duplex } = wire(inbound);
    await duplex.drained();
    duplex.receive(request('news', LISTEN));
    await duplex.drained();
    duplex.receive(request(1, 'x'));
    let drained = false;
    const waiting = duplex.drained().then(() => {
      drained = true;
    });
    await nextTurn();
    expect(drained).toBe(false);
    open[1]?.answer(success(1, {}));
    await waiting;
    open[0]?.answer(success('news', {}));
    await nextTurn();
    await duplex.drained();
    expect(drained).toBe(true);
  });
});

describe('several messages in one array', () => {
  const batches = { session: { batches: true } };

  test('a batch is rejected as a whole if the session has no batches', () => {
    const { duplex, sent } = wire(echo);
    duplex.receive([request(1, 'x')]);
    expect(sent).toEqual([
      failure(undefined, new RpcError(-32600, 'Invalid request: this revision takes one message at a time')),
    ]);
  });

  test('a batch is answered in one array, with errors for its malformed messages', async () => {
    verifies('BASE-028');
    const { duplex, sent } = wire(echo, batches);
    duplex.receive([request(1, 'x'), notification('n'), 'text', request('2', 'y'), success(7, {})]);
    await nextTurn();
    expect(sent).toHaveLength(1);
    const answers = sent[0] as readonly RpcResponse[];
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([success(1, {}), success('2', {}), expect.objectContaining({ error: expect.anything() })]),
    );
  });

  test('a batch without a request gets no response', async () => {
    const { duplex, sent } = wire(echo, batches);
    const asked = duplex.exchange(request('a', 'ping'), detachedLink);
    duplex.receive([notification('n'), success(1, {})]);
    expect(await asked).toEqual(success('a', {}));
    await nextTurn();
    expect(sent).toHaveLength(1);
  });

  test('a batch cannot contain initialize', async () => {
    const { duplex, sent } = wire(echo, batches);
    duplex.receive([request(1, 'initialize'), request(2, 'x')]);
    await nextTurn();
    expect(sent[0]).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ]);
  });

  test.each([
    [0, false],
    [1, true],
    [50, true],
    [51, false],
  ])('an array of %i is taken: %s', async (length, taken) => {
    const { duplex, sent } = wire(echo, batches);
    duplex.receive(Array.from({ length }, (_, i) => request(i, 'x')));
    await nextTurn();
    expect(sent).toHaveLength(1);
    expect(Array.isArray(sent[0])).toBe(taken);
  });

  test('a response of a batch that cannot be serialized does not affect the others', async () => {
    const inbound: Exchange = async (message) => {
      const { id } = message as RpcRequest;
      return success(id, id === 1 ? { n: 1n } : {});
    };
    const { duplex, sent } = wire(inbound, batches);
    duplex.receive([request(1, 'x'), request(2, 'x')]);
    await nextTurn();
    expect(sent).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, result: {} },
    ]);
  });

  test('a batch gets no response after the end', async () => {
    const { inbound, open } = held();
    const { duplex, sent } = wire(inbound, batches);
    duplex.receive([request(1, 'x')]);
    duplex.end(new Error('over'));
    open[0]?.answer(success(1, {}));
    await nextTurn();
    expect(sent).toEqual([]);
  });
});

describe('a side that ignores noise', () => {
  const quiet = { ignoreNoise: true };

  test.each([{ level: 30, msg: 'listening' }, 'text', 5, [], [1], { jsonrpc: '2.0' }, { method: 'GET', id: 4 }])(
    'a client reports %j from its server and does not respond',
    (value) => {
      const { duplex, sent, strays } = wire(echo, quiet);
      duplex.receive(value);
      expect(sent).toEqual([]);
      expect(strays).toHaveLength(1);
    },
  );

  test('a malformed request still gets an error response', () => {
    const { duplex, sent } = wire(echo, quiet);
    duplex.receive({ jsonrpc: '2.0', id: 4, method: 'x', params: [] });
    expect(sent).toMatchObject([{ id: 4, error: { code: -32600 } }]);
  });
});
