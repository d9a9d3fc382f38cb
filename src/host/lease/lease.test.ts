/** Tests leases without a gate: what can be sent again, which answers a request can carry, and which requests belong to a task. */
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { McpError, RpcError } from '../../errors.ts';
import { failure, type JsonObject, type RpcResponse, request, success } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import { isRoutine } from './act-messages.ts';
import { Leases } from './leases.ts';

const accepted = { action: 'accept', content: { name: 'Ada' } };
const question = { method: 'elicitation/create', params: { message: 'Who?' } };
const page = { mode: 'url', message: 'Pay', url: 'https://a.test/', elicitationId: 'e' };
const asks = success(1, { resultType: 'input_required', inputRequests: { name: question }, requestState: 's' });
const done = success(1, { resultType: 'complete' });

class Host {
  readonly leases: Leases = new Leases();
  readonly first: { close(succeeded: boolean): void };

  constructor(facts: Partial<Act> = {}) {
    this.allow({ kind: 'connect' });
    this.first = this.allow({ name: 'buy', arguments: { item: 'rope' }, ...facts });
  }

  allow(facts: Partial<Act>): { close(succeeded: boolean): void } {
    return this.leases.open(act(facts));
  }

  /** Sends the call of the act with additional members, and passes the response to its lease. False if it is denied. */
  call(response: RpcResponse | 'lost', more: JsonObject = {}): boolean {
    return this.send('tools/call', { name: 'buy', arguments: { item: 'rope' }, ...more }, response);
  }

  send(method: string, params: JsonObject, response: RpcResponse | 'lost' = done): boolean {
    try {
      this.leases.admit('files', request(1, method, params))(response === 'lost' ? undefined : response);
      return true;
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== 'MCP_DENIED') throw error;
      return false;
    }
  }
}

describe('a request that listens to tasks', () => {
  test('a subscription passes for tasks of open acts, and for no others', () => {
    const host = new Host();
    const listen = (notifications: JsonObject): boolean => host.send('subscriptions/listen', { notifications });
    expect(listen({ taskIds: ['t1'] })).toBe(false);
    expect(host.call(success(1, { resultType: 'task', taskId: 't1' }))).toBe(true);
    expect(listen({ taskIds: ['t1'] })).toBe(true);
    expect(listen({ taskIds: ['t1', 'another'] })).toBe(false);
    expect(listen({ taskIds: ['t1'], note: 'psst' })).toBe(false);
    const beside = [{ note: 'psst' }, { _meta: { 'example.test/note': 'psst' } }, { _meta: 'psst' }];
    const said = { notifications: { taskIds: ['t1'] } };
    expect(beside.map((more) => host.send('subscriptions/listen', { ...said, ...more }))).toEqual([
      ...[false, false, false],
    ]);
    expect(host.send('subscriptions/listen', { ...said, _meta: { progressToken: 1 } })).toBe(true);
    expect(host.send('example.test/listen', said)).toBe(false);
    expect(isRoutine('subscriptions/listen', { notifications: { taskIds: ['t1'] } })).toBe(false);
    expect(isRoutine('subscriptions/listen', { notifications: { toolsListChanged: true } })).toBe(true);
  });

  test('requests about a task pass for the act that resumes it', () => {
    const host = new Host({ kind: 'extension', name: 'tasks/get', arguments: { taskId: 't1' } });
    expect(host.send('tasks/get', { taskId: 't1' })).toBe(true);
    expect(host.send('tasks/cancel', { taskId: 't1' })).toBe(true);
    expect(host.send('tasks/cancel', { taskId: 'another' })).toBe(false);
    expect(host.call(done)).toBe(false);
  });
});

describe('a request', () => {
  test('a request that was lost is sent again once', () => {
    const host = new Host();
    expect([1, 2, 3].map(() => host.call('lost'))).toEqual([true, true, false]);
  });

  test('a request that was rejected for its revision is sent again', () => {
    const host = new Host();
    const unsupported = failure(1, new RpcError(-32022, 'Unsupported protocol version'));
    expect([1, 2, 3].map(() => host.call(unsupported))).toEqual([true, true, false]);
  });

  test('a request that was answered is not sent again, whatever the answer', () => {
    for (const answer of [done, failure(1, new RpcError(-32603, 'Internal error'))]) {
      const host = new Host();
      expect([host.call(answer), host.call(answer)]).toEqual([true, false]);
    }
  });

  test('a request does not pass while another one of the same act is open', () => {
    const host = new Host();
    const settle = host.leases.admit('files', request(1, 'tools/call', { name: 'buy', arguments: { item: 'rope' } }));
    expect(host.call(done)).toBe(false);
    settle(undefined);
    expect(host.call(done)).toBe(true);
  });
});

describe('answers that go along with a request', () => {
  const input = { inputResponses: { name: accepted }, requestState: 's' };

  test('answers are sent again without another permission if the request was lost', () => {
    const host = new Host();
    host.call(asks);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect([host.call('lost', input), host.call(done, input)]).toEqual([true, true]);
  });

  test('other answers need their own permission, also if the request with the permitted ones was lost', () => {
    const host = new Host();
    host.call(asks);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect(host.call('lost', input)).toBe(true);
    const other = { ...accepted, content: { name: 'Bob' } };
    expect(host.call(done, { ...input, inputResponses: { name: other } })).toBe(false);
    expect(host.call(done, input)).toBe(true);
  });

  test('answers without permission are denied each time', () => {
    const host = new Host();
    host.call(asks);
    expect([1, 2].map(() => host.call(done, input))).toEqual([false, false]);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect(host.call(done, input)).toBe(true);
  });

  test('answers need another permission if the server asks the same again', () => {
    const host = new Host();
    host.call(asks);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect([host.call(asks, input), host.call(done, input)]).toEqual([true, false]);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect(host.call(done, input)).toBe(true);
  });

  test('answers need the state of the last questions, or none if those had none', () => {
    const host = new Host();
    const declined = { inputResponses: { name: { action: 'decline' } } };
    host.call(asks);
    const stateless = success(1, { resultType: 'input_required', inputRequests: { name: question } });
    expect(host.call(stateless, { ...declined, requestState: 's' })).toBe(true);
    expect(host.call(done, { ...declined, requestState: 's' })).toBe(false);
    expect(host.call(done, declined)).toBe(true);
  });

  test('only the last questions can be answered', () => {
    const host = new Host();
    host.call(asks);
    host.call(success(1, { resultType: 'input_required', inputRequests: { size: question }, requestState: 's' }), {
      inputResponses: { name: { action: 'decline' } },
      requestState: 's',
    });
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect(host.call(done, input)).toBe(false);
    expect(host.call(done, { ...input, inputResponses: { size: accepted } })).toBe(true);
  });
});

describe('a request that fails because the user must visit a page first', () => {
  const unpaid = (code: number): RpcResponse => failure(1, new RpcError(code, 'Pay first', { elicitations: [page] }));

  test('a request is sent again after one permission for the visit, also if it is lost then', () => {
    const host = new Host();
    host.call(unpaid(-32042));
    expect(host.call(done)).toBe(false);
    host.allow({ kind: 'visit', name: page.url });
    expect([host.call('lost'), host.call(done)]).toEqual([true, true]);
  });

  test('a request needs permission for all pages of its error, and uses up none before', () => {
    const host = new Host();
    const two = { elicitations: [page, { ...page, url: 'https://b.test/' }] };
    host.call(failure(1, new RpcError(-32042, 'Pay first', two)));
    host.allow({ kind: 'visit', name: page.url });
    expect(host.call(done)).toBe(false);
    host.allow({ kind: 'visit', name: 'https://b.test/' });
    expect(host.call(done)).toBe(true);
  });

  test('a request is not sent again after another error that names pages', () => {
    const host = new Host();
    host.call(unpaid(-32000));
    host.allow({ kind: 'visit', name: page.url });
    expect(host.call(done)).toBe(false);
  });
});

describe('a task that an act has become', () => {
  const begun = success(1, { resultType: 'task', taskId: 't1' });
  const asking = success(1, { resultType: 'complete', status: 'input_required', inputRequests: { name: question } });

  test.each(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'])(
    'is asked about with %s under its act',
    (method) => {
      const host = new Host();
      expect([host.send(method, { taskId: 't1' }), host.send(method, {})]).toEqual([false, false]);
      host.call(begun);
      const sent = [{ taskId: 't1' }, { taskId: 't1' }, { taskId: 't2' }, { taskId: 't1', note: 'psst' }, {}];
      expect(sent.map((params) => host.send(method, params))).toEqual([true, true, false, false, false]);
    },
  );

  test('a task in a nested handle belongs to its act, too, and the call is not sent again', () => {
    const host = new Host();
    expect(host.call(success(1, { task: { taskId: 't1' } }), { task: { ttl: 1_000 } })).toBe(true);
    expect([host.send('tasks/result', { taskId: 't1' }), host.call(done)]).toEqual([true, false]);
  });

  test('a result that names a task without being one starts none', () => {
    const host = new Host();
    host.call(success(1, { resultType: 'complete', taskId: 't1' }));
    expect(host.send('tasks/get', { taskId: 't1' })).toBe(false);
  });

  test('an act keeps its first task, whatever the server answers later', () => {
    const host = new Host();
    host.call(begun);
    for (const answer of [{ resultType: 'task', taskId: 't2' }, { task: { taskId: 't2' } }])
      host.send('tasks/get', { taskId: 't1' }, success(1, answer));
    expect([host.send('tasks/get', { taskId: 't1' }), host.send('tasks/get', { taskId: 't2' })]).toEqual([true, false]);
  });

  test('a task is named by the act that resumes it, and by no other act with such an argument', () => {
    for (const facts of [{ name: 'tasks/get' }, { kind: 'extension', name: 'example.test/get' }] as const) {
      const host = new Host({ ...facts, arguments: { taskId: 't1' } });
      expect(host.send('tasks/cancel', { taskId: 't1' }), facts.name).toBe(false);
    }
  });

  test('tasks are not listed: that would show tasks of other acts', () => {
    const host = new Host();
    host.call(begun);
    expect([host.send('tasks/list', { taskId: 't1' }), host.send('tasks/list', {})]).toEqual([false, false]);
  });

  test('a task belongs to its own server', () => {
    const host = new Host({ server: 'mail', kind: 'extension', name: 'tasks/get', arguments: { taskId: 't1' } });
    expect(host.leases.hasTask('mail', 't1')).toBe(true);
    expect(host.leases.hasTask('files', 't1')).toBe(false);
    expect(host.send('tasks/get', { taskId: 't1' })).toBe(false);
    expect(host.send('subscriptions/listen', { notifications: { taskIds: ['t1'] } })).toBe(false);
  });

  test('the id of a task is text', () => {
    const host = new Host();
    host.call(success(1, { resultType: 'task', taskId: 7 }));
    expect(host.send('tasks/get', { taskId: 7 })).toBe(false);
  });

  test('only a tool call can ask for a task, with at most a lifetime', () => {
    for (const task of [{ ttl: 'psst' }, { note: 1 }, 'psst']) expect(new Host().call(done, { task })).toBe(false);
    expect(new Host().call(done, { task: {} })).toBe(true);
    const prompt = new Host({ kind: 'prompt', name: 'p', arguments: {} });
    expect(prompt.send('prompts/get', { name: 'p', arguments: {}, task: {} })).toBe(false);
  });

  test('requests about a task are denied after its act has ended', () => {
    const host = new Host({ name: 'other' });
    const lease = host.allow({ name: 'buy', arguments: { item: 'rope' } });
    host.call(begun);
    lease.close(true);
    expect(host.send('tasks/get', { taskId: 't1' })).toBe(false);
  });

  test('questions of a task are answered, each with a permission', () => {
    const host = new Host();
    const update = (key: string): JsonObject => ({ taskId: 't1', inputResponses: { [key]: accepted } });
    host.call(begun);
    host.allow({ kind: 'elicitation', arguments: accepted });
    expect(host.send('tasks/update', update('name'))).toBe(false);
    host.send('tasks/get', { taskId: 't1' }, asking);
    expect(host.send('tasks/get', update('name'))).toBe(false);
    expect(host.send('tasks/update', update('other'))).toBe(false);
    expect(host.send('tasks/update', update('name'), 'lost')).toBe(true);
    expect(host.send('tasks/update', update('name'))).toBe(true);
    expect(host.send('tasks/update', update('name'))).toBe(false);
  });

  test('requests about a task have the `_meta` of its act, or none', () => {
    const meta = { 'example.test/note': 'fine' };
    const host = new Host({ meta });
    host.call(begun, { _meta: meta });
    const sent = [undefined, meta, { 'example.test/note': 'psst' }, 'psst'];
    expect(sent.map((_meta) => host.send('tasks/get', { taskId: 't1', _meta }))).toEqual([true, true, false, false]);
  });
});

describe('two acts that send the same', () => {
  const becomes = (taskId: string): RpcResponse => success(1, { resultType: 'task', taskId });
  const polls = (host: Host): readonly boolean[] =>
    ['t1', 't2'].map((taskId) => host.send('tasks/get', { taskId }, success(1, {})));

  test('identical acts keep their tasks until both have ended', () => {
    const host = new Host();
    const other = host.allow({ name: 'buy', arguments: { item: 'rope' } });
    const third = host.allow({ name: 'buy', arguments: { item: 'rope' }, principal: 'ben' });
    expect([host.call(becomes('t1')), host.call(becomes('t2'))]).toEqual([true, true]);
    other.close(true);
    other.close(true);
    expect(polls(host)).toEqual([true, true]);
    third.close(true);
    expect(polls(host)).toEqual([true, true]);
    host.first.close(true);
    expect(polls(host)).toEqual([false, false]);
  });

  test('identical acts of two users send twice, also if the second ends before the first has sent', () => {
    const host = new Host();
    const other = host.allow({
      name: 'buy',
      arguments: { item: 'rope' },
      principal: 'ben',
      session: 's',
      view: 'ui://a',
    });
    expect(host.call(done)).toBe(true);
    other.close(true);
    expect([host.call(done), host.call(done)]).toEqual([true, false]);
    host.first.close(true);
    expect(host.call(done)).toBe(false);
  });

  test('identical acts send twice, in whichever order they end', () => {
    const host = new Host();
    const other = host.allow({ name: 'buy', arguments: { item: 'rope' } });
    expect(host.call(done)).toBe(true);
    other.close(true);
    expect([host.call(done), host.call(done)]).toEqual([true, false]);
    host.first.close(true);
    expect(host.call(done)).toBe(false);
  });

  test('identical acts send once if one of them ended without sending', () => {
    const host = new Host();
    host.allow({ name: 'buy', arguments: { item: 'rope' } }).close(false);
    expect([host.call(done), host.call(done)]).toEqual([true, false]);
  });

  test('identical acts answer the questions of both', () => {
    const host = new Host();
    const other = host.allow({ name: 'buy', arguments: { item: 'rope' } });
    expect([host.call(asks), host.call(done)]).toEqual([true, true]);
    other.close(true);
    host.allow({ kind: 'elicitation', name: 'form', arguments: accepted });
    expect(host.call(done, { inputResponses: { name: accepted }, requestState: 's' })).toBe(true);
  });
});

describe('a server', () => {
  test('a server gets nothing before an act has opened it, even if another act names it', () => {
    const leases = new Leases();
    leases.open(act({ name: 'buy', arguments: {} }));
    const buy = request(1, 'tools/call', { name: 'buy', arguments: {} });
    expect(() => leases.admit('files', buy)).toThrow('no permitted action has opened this server');
    leases.open(act({ kind: 'spawn' }));
    leases.admit('files', buy);
  });

  test('a server gets routine messages only with their own members', () => {
    expect(isRoutine('tools/list', { cursor: 'a', other: undefined })).toBe(true);
    expect(isRoutine('tools/list', { cursor: 'a', other: 'psst' })).toBe(false);
    expect(isRoutine('ping', { _meta: { progressToken: 1 } })).toBe(true);
    expect(isRoutine('ping', { _meta: { 'example.test/note': 'psst' } })).toBe(false);
    expect(isRoutine('ping', { _meta: 'psst' })).toBe(false);
    expect(isRoutine('tools/call')).toBe(false);
  });
});

describe('an extension', () => {
  test('an extension act sends its method with its params, and no method of the protocol', () => {
    const host = new Host({ kind: 'extension', name: 'example.test/do', arguments: { inputResponses: 1 } });
    expect(host.send('example.test/other', { inputResponses: 1 })).toBe(false);
    expect(host.send('example.test/do', { inputResponses: 2 })).toBe(false);
    expect(host.send('example.test/do', { inputResponses: 1, requestState: 's' })).toBe(false);
    expect(host.send('example.test/do', { inputResponses: 1 })).toBe(true);
    for (const name of ['tools/call', 'completion/complete', 'notifications/x', 'subscriptions/listen', 'tasks/get'])
      expect(new Host({ kind: 'extension', name, arguments: {} }).send(name, {}), name).toBe(name === 'tasks/get');
  });
});
