import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { link, wire } from '../../test/support/wire.ts';
import { McpError } from '../errors.ts';
import { type Message, notification, type RpcRequest, type RpcResponse, request, success } from '../jsonrpc/message.ts';
import { CANCELLED, LISTEN, PROGRESS, RESOURCE_UPDATED, SUBSCRIPTION_ID } from '../model/names.ts';
import { metaOf } from './call-link.ts';
import type { Exchange, Link } from './exchange.ts';
import { nextTurn } from './runtime.ts';

const idOf = (message: Message | readonly Message[] | undefined): number => (message as RpcRequest & { id: number }).id;

describe('sending requests', () => {
  test('every request has a new id on the wire, and its response the id of the caller', async () => {
    verifies('BASE-005', 'BASE-006', 'BASE-007', 'BASE-008');
    const { duplex, sent } = wire();
    const answers = ['a', 'a', 7, 7].map((id) => duplex.exchange(request(id, 'ping'), link()));
    expect(sent.map(idOf)).toEqual([1, 2, 7, 8]);
    for (const id of [8, 7, 1, 2]) duplex.receive(success(id, { of: id }));
    expect(await Promise.all(answers)).toEqual([
      success('a', { of: 1 }),
      success('a', { of: 2 }),
      success(7, { of: 7 }),
      success(7, { of: 8 }),
    ]);
    for (const id of ['a', 9, 2 ** 53 - 1, -1, 0]) void duplex.exchange(request(id, 'ping'), link());
    expect(sent.slice(4).map(idOf)).toEqual([9, 10, 11, 12, 13]);
  });

  test('each caller gets the first response to its own request, in whatever order responses arrive', async () => {
    const order = fc
      .integer({ min: 1, max: 12 })
      .chain((n) => fc.tuple(fc.constant(n), fc.array(fc.integer({ min: 1, max: n + 2 }), { maxLength: 40 })));
    await fc.assert(
      fc.asyncProperty(order, async ([n, arrivals]) => {
        const { duplex, strays } = wire();
        const asked = Array.from({ length: n }, (_, i) => duplex.exchange(request(`c${i + 1}`, 'ping'), link()));
        arrivals.forEach((id, nth) => {
          duplex.receive(success(id, { nth }));
        });
        duplex.end(new Error('over'));
        const outcomes = await Promise.allSettled(asked);
        outcomes.forEach((outcome, i) => {
          const first = arrivals.indexOf(i + 1);
          if (first === -1) expect(outcome.status).toBe('rejected');
          else expect(outcome).toEqual({ status: 'fulfilled', value: success(`c${i + 1}`, { nth: first }) });
        });
        const heard = new Set(arrivals.filter((id) => id <= n)).size;
        expect(strays).toHaveLength(arrivals.length - heard);
      }),
    );
  });

  test.each([{ id: '1' }, { id: 2 }, {}, { id: null }])('a response with %j settles no request with the id 1', (id) => {
    const { duplex, strays } = wire();
    let settled = false;
    void duplex.exchange(request(9, 'ping'), link()).finally(() => {
      settled = true;
    });
    duplex.receive({ jsonrpc: '2.0', ...id, error: { code: 1, message: 'm' } });
    expect(strays).toEqual(['response to nothing we are waiting for']);
    expect(settled).toBe(false);
  });

  test('a malformed response rejects the request that it names', async () => {
    const { duplex, strays } = wire();
    const asked = duplex.exchange(request(1, 'tools/list'), link());
    duplex.receive({ jsonrpc: '2.0', id: 1, result: 'text' });
    await expect(asked).rejects.toMatchObject({ code: 'MCP_BAD_RESULT', details: { method: 'tools/list' } });
    expect(strays).toEqual(['malformed response: "result" must be an object']);
  });

  test('a request that cannot be serialized is rejected and not tracked', async () => {
    const { duplex, strays } = wire();
    await expect(duplex.exchange(request(1, 'x', { n: 1n }), link())).rejects.toThrow(TypeError);
    await expect(duplex.exchange(notification('x', { n: 1n }), link())).rejects.toThrow(TypeError);
    duplex.receive(success(1, {}));
    expect(strays).toHaveLength(1);
  });

  test('the end of the channel rejects open and later requests', async () => {
    const { duplex, sent } = wire();
    const open = duplex.exchange(request(1, 'ping'), link());
    duplex.end(new McpError('MCP_CLOSED', { why: 'test' }));
    duplex.end(new Error('a second end says nothing'));
    await expect(open).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(duplex.exchange(request(1, 'ping'), link())).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(duplex.exchange(notification('x'), link())).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    duplex.send(notification('x'));
    expect(sent).toHaveLength(1);
  });
});

describe('cancelling our requests', () => {
  test('cancelling notifies the peer with id and reason, rejects at once, and ignores a late response', async () => {
    verifies('CANCEL-005', 'CANCEL-008', 'CANCEL-013', 'CANCEL-015', 'STDIO-015');
    const { duplex, sent, strays } = wire();
    const caller = link();
    const asked = duplex.exchange(request('mine', 'tools/call'), caller);
    caller.abort.abort(new Error('too slow'));
    await expect(asked).rejects.toThrow('too slow');
    expect(sent[1]).toEqual(notification(CANCELLED, { requestId: 1, reason: 'too slow' }));
    duplex.receive(success(1, {}));
    expect(strays).toEqual(['response to nothing we are waiting for']);
  });

  test('a request that was answered before it was cancelled is not cancelled', async () => {
    const { duplex, sent } = wire();
    const caller = link();
    const asked = duplex.exchange(request(1, 'tools/call'), caller);
    duplex.receive(success(1, {}));
    await asked;
    caller.abort.abort('late');
    expect(sent).toHaveLength(1);
  });

  test('a request that was cancelled before it was sent is not sent', async () => {
    const { duplex, sent } = wire();
    const caller = link();
    caller.abort.abort('no');
    await expect(duplex.exchange(request(1, 'tools/call'), caller)).rejects.toBe('no');
    expect(sent).toEqual([]);
  });

  test('a link with a signal but no onAbort can cancel a request', async () => {
    const { duplex, sent } = wire();
    const controller = new AbortController();
    const plain = { signal: controller.signal, notify: () => undefined, ask: () => Promise.reject(new Error('no')) };
    const asked = duplex.exchange(request(1, 'tools/call'), plain);
    controller.abort('stop');
    await expect(asked).rejects.toBe('stop');
    expect(sent[1]).toEqual(notification(CANCELLED, { requestId: 1 }));
  });

  test('a call aborted with a reason that is no Error is cancelled without a reason, and rejects with it', async () => {
    for (const reason of ['stop', null, 5]) {
      const { duplex, sent } = wire();
      const caller = link();
      const asked = duplex.exchange(request(1, 'tools/call'), caller);
      caller.abort.abort(reason);
      await expect(asked).rejects.toBe(reason);
      expect(sent[1]).toEqual(notification(CANCELLED, { requestId: 1 }));
    }
  });

  test('an aborted initialize is rejected without a cancellation notification', async () => {
    verifies('CANCEL-003');
    const { duplex, sent } = wire();
    const caller = link();
    const asked = duplex.exchange(request(1, 'initialize'), caller);
    caller.abort.abort(new Error('no'));
    await expect(asked).rejects.toThrow('no');
    expect(sent).toHaveLength(1);
  });

  test('a request that was answered, or lost with the channel, is not cancelled later', async () => {
    verifies('CANCEL-001', 'CANCEL-002');
    const { duplex, sent } = wire();
    const callers = [link(), link()];
    const asked = callers.map((caller) => duplex.exchange(request(1, 'ping'), caller));
    duplex.receive(success(1, {}));
    duplex.end(new Error('over'));
    for (const caller of callers) caller.abort.abort(new Error('late'));
    expect(await Promise.allSettled(asked)).toMatchObject([{ status: 'fulfilled' }, { reason: new Error('over') }]);
    expect(sent).toHaveLength(2);
  });
});

describe('a new session on the same channel', () => {
  test('a new session rejects our requests in the old one, without a notification', async () => {
    const settled: unknown[] = [];
    let question: Promise<unknown> = Promise.resolve();
    const inbound: Exchange = (_, back) => {
      question = back.ask(request('q', 'roots/list'));
      return new Promise(() => undefined);
    };
    const sent: Message[] = [];
    const sendRequest = (message: RpcRequest): { settled(): void } => {
      sent.push(message);
      return { settled: () => settled.push(message.id) };
    };
    const { duplex } = wire(inbound, { sendRequest });
    duplex.receive(request(1, 'tools/call'));
    const asked = duplex.exchange(request('p', 'ping'), link());
    duplex.renew();
    const reason = { code: 'MCP_CLOSED', details: { why: 'the client began a new session' } };
    await expect(question).rejects.toMatchObject(reason);
    await expect(asked).rejects.toMatchObject(reason);
    expect(sent).toEqual([request(1, 'roots/list'), request(2, 'ping')]);
    expect(settled).toEqual([1, 2]);
  });

  test('running requests of the old session count until they end; one with its own protocol version goes on', async () => {
    const open: { link: Link; end: (response: RpcResponse) => void }[] = [];
    const inbound: Exchange = (_, back) => new Promise((end) => open.push({ link: back, end }));
    const { duplex, sent } = wire(inbound, { maxInFlight: 2 });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    duplex.receive(request(1, 'tools/call'));
    duplex.receive(request(2, 'tools/call', { _meta }));
    duplex.renew();
    expect(open.map(({ link: { signal } }) => signal.aborted)).toEqual([true, false]);
    duplex.receive(request(1, 'tools/call'));
    expect(sent).toMatchObject([{ id: 1, error: { message: expect.stringContaining('2 are open (maxInFlight)') } }]);
    open[0]?.end(success(1, {}));
    open[1]?.end(success(2, {}));
    await nextTurn();
    expect(sent.slice(1)).toEqual([success(2, {})]);
    duplex.receive(request(1, 'tools/call'));
    expect(open).toHaveLength(3);
  });
});

describe('progress', () => {
  const withToken = (progressToken: unknown): RpcRequest =>
    request('x', 'tools/call', { _meta: { progressToken, kept: 1 } });
  const tokenOf = (message: unknown): unknown => metaOf((message as RpcRequest).params)?.['progressToken'];
  const progress = (progressToken: unknown, n: number): Message =>
    notification(PROGRESS, { progressToken, progress: n });

  test('progress reaches the caller that chose the token, while it waits', () => {
    verifies('PROGRESS-008');
    const { duplex, strays } = wire();
    const [a, b] = [link(), link()];
    void duplex.exchange(withToken('a'), a);
    void duplex.exchange(withToken(0), b);
    duplex.receive(progress('a', 1));
    duplex.receive(progress(0, 2));
    duplex.receive(progress('0', 3));
    duplex.receive(notification(PROGRESS));
    expect(a.heard).toEqual([progress('a', 1)]);
    expect(b.heard).toEqual([progress(0, 2)]);
    duplex.receive(success(1, {}));
    duplex.receive(progress('a', 4));
    expect(a.heard).toHaveLength(1);
    expect(strays).toEqual(Array.from({ length: 3 }, () => 'progress of nothing we are waiting for'));
  });

  test('two callers that chose the same progress token each get their own progress', () => {
    verifies('PROGRESS-002');
    const { duplex, sent } = wire();
    const callers = [link(), link(), link()];
    for (const caller of callers) void duplex.exchange(withToken('t'), caller);
    const tokens = sent.map(tokenOf);
    expect(new Set(tokens).size).toBe(3);
    expect((sent[1] as RpcRequest).params?.['_meta']).toMatchObject({ kept: 1 });
    duplex.receive(success(1, {}));
    duplex.receive(progress(tokens[0], 0));
    duplex.receive(progress(tokens[1], 1));
    duplex.receive(progress(tokens[2], 2));
    expect(callers.map((caller) => caller.heard)).toEqual([[], [progress('t', 1)], [progress('t', 2)]]);
  });

  test('a caller can choose a token that looks like a generated one', () => {
    const { duplex, sent } = wire();
    for (const token of ['progress-3', 't', 't', 'progress-3']) void duplex.exchange(withToken(token), link());
    const tokens = sent.map(tokenOf);
    expect(new Set(tokens).size).toBe(4);
  });
});

describe('notifications of a subscription', () => {
  const tagged = (id: unknown, extra = {}): Message =>
    notification(RESOURCE_UPDATED, { uri: 'file:///a', _meta: { [SUBSCRIPTION_ID]: id, ...extra } });

  test('a notification reaches its subscription, with the id of the caller', () => {
    verifies('STDIO-014', 'SUBS-009', 'SUBS-010');
    const inbound: Message[] = [];
    const { duplex } = wire((message) => {
      inbound.push(message);
      return Promise.resolve(undefined);
    });
    const [a, b] = [link(), link()];
    void duplex.exchange(request('sub-a', LISTEN), a);
    void duplex.exchange(request(2, LISTEN), b);
    duplex.receive(tagged(1, { kept: true }));
    duplex.receive(tagged(2));
    duplex.receive(tagged(3));
    duplex.receive(tagged('1'));
    expect(a.heard).toEqual([tagged('sub-a', { kept: true })]);
    expect(b.heard).toEqual([tagged(2)]);
    expect(inbound).toEqual([tagged(3), tagged('1')]);
  });

  test('the closing result of a subscription has the id of the caller', async () => {
    const { duplex } = wire();
    const asked = duplex.exchange(request('sub-a', LISTEN), link());
    duplex.receive(success(1, { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: 1 } }));
    const closing = { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: 'sub-a' } };
    expect(await asked).toEqual(success('sub-a', closing));
  });

  test('a subscription ends when the server cancels it; other requests do not', async () => {
    const { duplex } = wire();
    const listening = duplex.exchange(request('sub', LISTEN), link());
    const calling = duplex.exchange(request('call', 'tools/call'), link());
    for (const requestId of [2, 1]) duplex.receive(notification(CANCELLED, { requestId }));
    expect(await listening).toEqual(success('sub', {}));
    duplex.receive(success(2, { still: 'here' }));
    expect(await calling).toEqual(success('call', { still: 'here' }));
  });
});

describe('a channel with state for each request', () => {
  test('a request can fail while the others go on', async () => {
    const { duplex } = wire();
    const [one, two] = [duplex.exchange(request('a', 'x'), link()), duplex.exchange(request('b', 'x'), link())];
    duplex.fail(1, new Error('lost on its way'));
    duplex.fail(1, new Error('twice'));
    duplex.fail(99, new Error('of no request'));
    duplex.receive(success(2, {}));
    await expect(one).rejects.toThrow('lost on its way');
    expect(await two).toEqual(success('b', {}));
  });

  test('the carrier of a request is settled once: answered, malformed, failed, cancelled, or ended with the channel', async () => {
    const settled: unknown[] = [];
    const { duplex } = wire(undefined, { sendRequest: ({ id }) => ({ settled: () => settled.push(id) }) });
    const links = Array.from({ length: 5 }, () => link());
    const all = links.map((one, i) => duplex.exchange(request(i, 'x'), one).catch((error: unknown) => error));
    duplex.receive(success(1, {}));
    duplex.receive(success(1, {}));
    duplex.receive({ jsonrpc: '2.0', id: 2, result: 7 });
    duplex.fail(3, new Error('no'));
    links[3]?.abort.abort(new Error('never mind'));
    expect(settled).toEqual([1, 2, 3, 4]);
    duplex.end(new Error('over'));
    expect(settled).toEqual([1, 2, 3, 4, 5]);
    await Promise.all(all);
  });

  test('a request that fails while it is being sent is settled all the same', async () => {
    const settled: unknown[] = [];
    const { duplex } = wire(undefined, {
      sendRequest: ({ id }) => {
        duplex.fail(id, new Error('no way there'));
        return { settled: () => settled.push(id) };
      },
    });
    await expect(duplex.exchange(request('a', 'x'), link())).rejects.toThrow('no way there');
    expect(settled).toEqual([1]);
  });
});

test('the link of a message names the request on whose stream it arrived, by the id of the caller', async () => {
  const seen: unknown[] = [];
  const { duplex } = wire((message, back) => {
    seen.push([(message as RpcRequest).method, back.of]);
    return Promise.resolve(undefined);
  });
  void duplex.exchange(request('mine', 'tools/call'), link());
  duplex.receive(request('q', 'roots/list'), { of: 1 });
  duplex.receive(notification('notifications/message'), { of: 1 });
  duplex.receive(notification('notifications/message'));
  duplex.receive(success(1, {}), { of: 1 });
  duplex.receive(notification('notifications/message'), { of: 1 });
  expect(seen).toEqual([
    ['roots/list', 'mine'],
    ['notifications/message', 'mine'],
    ['notifications/message', undefined],
    ['notifications/message', undefined],
  ]);
});
