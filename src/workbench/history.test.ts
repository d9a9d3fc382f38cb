import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notification, type RpcNotification, type RpcRequest, request } from '../jsonrpc/message.ts';
import { MASK } from '../model/secrets.ts';
import { History } from './history.ts';
import { MessageStore } from './message-store.ts';
import type { SpanRow } from './protocol-timeline.ts';
import { timelineVerbs } from './verbs/timeline.ts';
import type { Workbench } from './workbench.ts';

const listener = { onRow: () => undefined, onSpan: () => undefined, onDropped: () => undefined };
const call = (id: number, name: string): RpcRequest => request(id, 'tools/call', { name, arguments: {} });
const respond = (id: number, result: Record<string, unknown> = { content: [] }) =>
  ({ jsonrpc: '2.0', id, result }) as const;

/** A call and its answer, ten milliseconds apart. */
function addCall(
  history: History,
  { id, name, at, server = 'shop' }: { id: number; name: string; at: number; server?: string },
): void {
  const asked = call(id, name);
  history.add({ server, at, side: '>', message: asked, masked: asked });
  const message = respond(id, id % 10 === 0 ? { content: [], isError: true } : { content: [] });
  history.add({ server, at: at + 10, side: '<', message, masked: message, answers: { request: asked, ms: 10 } });
}

test('the subject of a request is masked in its row, in the row of its response and in its span', () => {
  const history = new History(listener);
  const read = (uri: string): RpcRequest => request(1, 'resources/read', { uri });
  const [message, masked] = [read('db://ada:hunter2@shop/orders'), read('db://[masked]@shop/orders')];
  history.add({ server: 'shop', at: 0, side: '>', message, masked });
  const answer = respond(1, { contents: [] });
  history.add({
    server: 'shop',
    at: 1,
    side: '<',
    message: answer,
    masked: answer,
    answers: { request: message, ms: 1 },
  });
  const subjects = [history.row(1), history.row(2), history.span(1)].map((row) => row?.subject);
  expect(subjects).toEqual(Array(3).fill('db://[masked]@shop/orders'));
  history.close();
});

describe('a store of texts', () => {
  test('the message store returns every text as it was added, including texts in the file', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 200, unit: 'grapheme' }), { maxLength: 200 }),
        fc.integer({ min: 0, max: 199 }),
        (texts, from) => {
          const store = new MessageStore();
          const padding = 'x'.repeat(300_000);
          for (const text of texts) store.add(text + padding.slice(0, text.length % 3 === 0 ? 100_000 : 0));
          const whole = (at: number): string =>
            (texts[at] ?? '') + padding.slice(0, (texts[at]?.length ?? 0) % 3 === 0 ? 100_000 : 0);
          for (const at of texts.keys()) expect(store.get(at)).toBe(whole(at));
          const seen: number[] = [];
          store.scan(Math.min(from, texts.length), (text, place) => {
            expect(text).toBe(whole(place));
            seen.push(place);
          });
          expect(seen).toEqual([...texts.keys()].slice(Math.min(from, texts.length)));
          store.close();
        },
      ),
      { numRuns: 20 },
    );
  });

  test('the message store accepts texts if no file can be written, and returns a placeholder for lost ones', () => {
    const [store, { TMPDIR: usual }] = [new MessageStore(), process.env];
    process.env['TMPDIR'] = '/no/such/folder';
    try {
      expect([store.add('1'.repeat(300_000)), store.add('"lost"')]).toEqual([0, 1]);
      expect(JSON.parse(store.get(0))).toEqual({ lost: expect.stringContaining('was full') });
      expect(store.get(1)).toBe(store.get(0));
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
    }
    expect(store.add('"kept"')).toBe(2);
    const seen: string[] = [];
    store.scan(0, (text) => void seen.push(text));
    expect(seen).toEqual([store.get(0), store.get(0), '"kept"']);
    store.close();
  });

  test('the message store unlinks its file, so that none is left behind', () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('mooring-workbench-'));
    const store = new MessageStore();
    store.add('x'.repeat(2_000_000));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('mooring-workbench-'))).toEqual(before);
    store.close();
  });
});

describe('the history', () => {
  test('a full history counts what it drops, and still stores the responses to its requests', () => {
    const sizes: number[] = [];
    const onDropped = (): void => void sizes.push(history.dropped);
    const history: History = new History({ ...listener, onDropped }, 2);
    const [first, second] = [call(1, 'refund'), call(2, 'ship')];
    const add = (message: RpcRequest | ReturnType<typeof respond>, answered?: RpcRequest): void => {
      const answers = answered && { request: answered, ms: 1 };
      history.add({ server: 'shop', at: 5, side: answers ? '<' : '>', message, masked: message, answers });
    };
    add(first);
    history.addHttp({ server: 'shop', at: 1, exchange: { method: 'POST', status: 200, ms: 1 } });
    expect([history.size, history.dropped]).toEqual([2, 0]);
    add(second);
    history.addHttp({ server: 'shop', at: 1, exchange: { method: 'POST', status: 200, ms: 1 } });
    add(respond(2), second);
    add(respond(1), first);
    expect([history.size, history.dropped, sizes]).toEqual([3, 3, [1, 2, 3]]);
    expect(history.span(1)?.to).toBe(5);
    expect(history.response(1)).toEqual(respond(1));
    history.close();
  });

  test('when a connection ends, its open requests end as failed, and its streams end without failure', () => {
    const history = new History(listener);
    for (const [id, message] of [call(1, 'refund'), request(2, 'subscriptions/listen', {}), call(3, 'ship')].entries())
      history.add({ server: id === 2 ? 'files' : 'shop', at: id, side: '>', message, masked: message });
    history.endSpans('shop', 50);
    expect([...history.spans()].reverse().map(({ to, isError }) => [to, isError])).toEqual([
      [50, true],
      [50, false],
      [undefined, false],
    ]);
  });

  test("when a connection ends, an open question of its server ends too, and another server's does not", () => {
    const history = new History(listener);
    for (const server of ['shop', 'files']) {
      const question = request('q', 'elicitation/create', { message: 'Sure?' });
      history.add({ server, at: 1, side: '<', message: question, masked: question });
    }
    history.endSpans('shop', 50);
    expect([1, 2].map((id) => history.span(id)?.to)).toEqual([50, undefined]);
    history.close();
  });

  test('of two open requests with one id, a cancellation means the newer one, and a response ends its own', () => {
    const history = new History(listener);
    const [older, newer] = [call(1, 'refund'), call(1, 'ship')];
    for (const message of [older, newer]) history.add({ server: 'shop', at: 1, side: '>', message, masked: message });
    const answer = respond(1);
    const answers = { request: older, ms: 1 };
    history.add({ server: 'shop', at: 2, side: '<', message: answer, masked: answer, answers });
    const cancelled = notification('notifications/cancelled', { requestId: 1 });
    history.add({ server: 'shop', at: 3, side: '>', message: cancelled, masked: cancelled });
    expect([1, 2].map((id) => [history.span(id)?.to, history.span(id)?.cancelled])).toEqual([
      [2, false],
      [3, true],
    ]);
    history.close();
  });

  test('latency statistics and cancellations take linear time for 100,000 calls', () => {
    const history = new History(listener);
    const verbs = timelineVerbs({ history } as unknown as Workbench); // the member that statistics use
    for (let id = 1; id <= 100_000; id++) addCall(history, { id, name: 'ship', at: id });
    // Quadratic time would take minutes.
    for (let id = 0; id < 10_000; id++) {
      const message = notification('notifications/cancelled', { requestId: `unknown ${id}` });
      history.add({ server: 'shop', at: id, side: '<', message, masked: message });
    }
    expect(verbs['timeline.stats']?.run({ by: 'tool' })).toMatchObject({ rows: [{ count: 100_000, p99: 10 }] });
    history.close();
  });

  test('the history has rows in order, spans from request to response, and filters by server, method, error and text', () => {
    const history = new History(listener);
    for (let id = 1; id <= 50; id++)
      addCall(history, { id, name: `tool-${id}`, at: id * 100, server: id % 2 === 0 ? 'shop' : 'files' });
    const note = notification('notifications/message', { data: 'needle' });
    history.add({ server: 'shop', at: 9_000, side: '<', message: note, masked: note });
    history.addHttp({ server: 'shop', at: 9_001, exchange: { method: 'POST', status: 200, ms: 3 } });
    const all = history.page({}, 0, 500);
    expect([all.total, all.rows.map(({ id }) => id)]).toEqual([101, Array.from({ length: 101 }, (_, at) => at + 1)]);
    expect(history.page({ http: true }, 0, 500).total).toBe(102);
    expect(history.page({ server: 'files' }, 0, 500).total).toBe(50);
    expect(history.page({ method: 'tools/*', errors: true }, 0, 500).rows.map(({ kind }) => kind)).toEqual(
      Array(5).fill('response'),
    );
    expect(history.page({ text: 'NEEDLE' }, 0, 10).rows.map(({ method }) => method)).toEqual(['notifications/message']);
    // A response has no method in its text.
    for (const text of ['tools/call', 'Tools/Call']) expect(history.page({ text }, 0, 500).total).toBe(100);
    addCall(history, { id: 60, name: 'needle', at: 10_000 });
    expect(history.page({ text: 'NEEDLE' }, 0, 10).total).toBe(2);
    expect(history.page({}, undefined, 10).rows.map(({ id }) => id)).toEqual([
      94, 95, 96, 97, 98, 99, 100, 101, 103, 104,
    ]);
    const spans = [...history.spans()].reverse();
    expect(spans.map(({ from, to }) => (to ?? 0) - from)).toEqual(Array(51).fill(10));
    expect(spans.filter(({ isError }) => isError).map(({ subject }) => subject)).toEqual([
      'tool-10',
      'tool-20',
      'tool-30',
      'tool-40',
      'tool-50',
      'needle',
    ]);
    history.close();
  });

  test("the span of a server's request has the call as its parent, and a cancelled request is marked", () => {
    const told: SpanRow[] = [];
    const history = new History({ ...listener, onSpan: (span) => void told.push(span) });
    const [asked, question] = [call(1, 'refund'), request('q', 'elicitation/create', { message: 'Sure?' })];
    history.add({ server: 'shop', at: 1, side: '>', message: asked, masked: asked });
    history.add({ server: 'shop', at: 2, side: '<', message: question, masked: question, during: asked });
    const cancelled = notification('notifications/cancelled', { requestId: 1 });
    history.add({ server: 'shop', at: 3, side: '>', message: cancelled, masked: cancelled });
    expect(history.span(2)?.parent).toBe(1);
    expect(history.span(1)).toMatchObject({ cancelled: true, to: 3, isError: false });
    expect(told.at(-1)).toMatchObject({ id: 1, cancelled: true });
    history.close();
  });

  test('a cancellation names the request that it cancels, not one with the same id of another server or the other side', () => {
    const history = new History(listener);
    const add = (server: string, side: '>' | '<', message: RpcRequest | RpcNotification): void =>
      history.add({ server, at: 1, side, message, masked: message });
    add('shop', '>', call(1, 'refund'));
    add('files', '>', call(1, 'search'));
    add('shop', '<', request(1, 'roots/list'));
    add('shop', '>', notification('notifications/cancelled', { requestId: 1, reason: 'late' }));
    add('shop', '>', notification('notifications/cancelled', { requestId: 9 }));
    expect([1, 2, 3].map((id) => history.span(id)?.cancelled)).toEqual([true, false, false]);
    expect(history.page({}, 3, 2).rows).toMatchObject([
      { span: 1, subject: 'tools/call refund', what: 'late' },
      { subject: 'request 9' },
    ]);
    history.close();
  });
});

test('unmasked messages are kept up to a total size, and long methods and names are cut', () => {
  const history = new History(listener);
  const filler = 'x'.repeat(14 * 1024 * 1024);
  for (let id = 1; id <= 3; id++) {
    const message = notification(filler, { uri: filler, secret: 'hunter2' });
    const masked = notification('m', { uri: filler, secret: MASK });
    history.add({ server: 'shop', at: id, side: '<', message, masked });
  }
  expect([1, 2, 3].map((id) => history.original(id) !== undefined)).toEqual([false, true, true]);
  const { method, subject } = history.row(3) ?? {};
  history.close();
  expect([method?.length, subject?.length]).toEqual([200, 200]);
});
