import { describe, expect, test } from 'vitest';
import { link } from '../../test/support/wire.ts';
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
import { LISTEN, PROGRESS, TOOLS_CHANGED } from '../model/names.ts';
import type { Connection, Exchange, Link, Servable, ServerPush } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import type { PeerSession } from '../peer/session.ts';
import { memoryTransport } from './memory.ts';

const idOf = (message: Message): string => (message as RpcRequest & { id: string }).id;
const deaf: Exchange = () => Promise.resolve(undefined);

interface Opened {
  readonly line: Connection;
  readonly outlet: ServerPush;
  readonly session: PeerSession;
  readonly closes: () => number;
}

async function dial(exchange: Exchange, inbound: Exchange = deaf, session: PeerSession = {}): Promise<Opened> {
  let opened: { outlet: ServerPush; session: PeerSession } | undefined;
  let closes = 0;
  const server: Servable = {
    open(outlet, theirs) {
      opened = { outlet, session: theirs };
      return { exchange, close: () => closes++ };
    },
  };
  const line = await memoryTransport(server)(inbound, session);
  if (opened === undefined) throw new Error('the server was not opened');
  return { line, ...opened, closes: () => closes };
}

function held(): {
  exchange: Exchange;
  open: { message: Message; link: Link; answer: (response: RpcResponse) => void }[];
} {
  const open: { message: Message; link: Link; answer: (response: RpcResponse) => void }[] = [];
  return { open, exchange: (message, link) => new Promise((answer) => open.push({ message, link, answer })) };
}

describe('a line in memory', () => {
  test('the memory transport passes messages by reference, and equal ids do not collide', async () => {
    const result = { big: 1n };
    const { line } = await dial((message) => Promise.resolve(success(idOf(message), result)));
    const answers = await Promise.all([1, 2].map(() => line.exchange(request('same', 'x'), link())));
    expect(answers).toEqual([success('same', result), success('same', result)]);
    expect((answers[0] as { result: unknown }).result).toBe(result);
  });

  test('the memory transport gives each end its own session', async () => {
    const mine: PeerSession = {};
    const { session } = await dial(deaf, deaf, mine);
    expect(session).not.toBe(mine);
  });

  test('an exception in the server becomes an error response without its message', async () => {
    const thrown = [new RpcError(-32602, 'no'), new Error('secret')];
    const { line } = await dial(() => {
      throw thrown.shift();
    });
    expect(await line.exchange(request(1, 'x'), link())).toEqual(failure(1, new RpcError(-32602, 'no')));
    expect(await line.exchange(request(2, 'x'), link())).toEqual(failure(2, new RpcError(-32603, 'Internal error')));
  });

  test('a request without a response is rejected', async () => {
    const { line } = await dial(deaf);
    await expect(line.exchange(request(1, 'x'), link())).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
  });

  test('a notification gets no response, even if its handler fails', async () => {
    const seen: Message[] = [];
    const { line } = await dial((message) => {
      seen.push(message);
      throw new Error('no');
    });
    expect(await line.exchange(notification('n'), link())).toBeUndefined();
    expect(seen).toEqual([notification('n')]);
  });

  test('notifications reach the caller before the response, and none after it', async () => {
    const { exchange, open } = held();
    const { line } = await dial(exchange);
    const caller = link();
    const asked = line.exchange(request(1, 'x'), caller);
    open[0]?.link.notify(notification(PROGRESS, { progress: 1 }));
    open[0]?.answer(success(1, {}));
    await asked;
    open[0]?.link.notify(notification(PROGRESS, { progress: 2 }));
    expect(caller.heard).toEqual([notification(PROGRESS, { progress: 1 })]);
    await expect(open[0]?.link.ask(request(1, 'x'))).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test('a server can send a request on behalf of a call, and gets notifications for it', async () => {
    const heard: Message[] = [];
    const inbound: Exchange = async (message, back) => {
      back.notify(notification(PROGRESS, { progress: 1 }));
      heard.push(message);
      return success(idOf(message), { roots: [] });
    };
    const { line } = await dial(async (message, back) => {
      const answer = await back.ask(request('q', 'roots/list'));
      return success(idOf(message), { answer });
    }, inbound);
    const answer = await line.exchange(request(1, 'x'), link());
    expect(answer).toEqual(success(1, { answer: success('q', { roots: [] }) }));
    expect(heard).toEqual([request('q', 'roots/list')]);
  });

  test('a server can send notifications and requests outside of a call', async () => {
    const heard: Message[] = [];
    const inbound: Exchange = (message) => {
      heard.push(message);
      return Promise.resolve('id' in message ? success(idOf(message), {}) : undefined);
    };
    let answered: RpcResponse | undefined;
    const { line, outlet } = await dial(async (_, back) => {
      back.notify(notification('from a notification'));
      answered = await back.ask(request('n', 'roots/list'));
      return undefined;
    }, inbound);
    outlet.notify(notification(TOOLS_CHANGED));
    expect(await outlet.ask(request('q', 'ping'))).toEqual(success('q', {}));
    await line.exchange(notification('notifications/initialized'), link());
    expect(answered).toEqual(success('n', {}));
    expect(heard.map((message) => (message as RpcRequest).method)).toEqual([
      TOOLS_CHANGED,
      'ping',
      'from a notification',
      'roots/list',
    ]);
  });

  test('an exception in the client’s notification handler does not reach the server', async () => {
    const { outlet } = await dial(deaf, () => {
      throw new Error('no');
    });
    expect(() => outlet.notify(notification(TOOLS_CHANGED))).not.toThrow();
    await nextTurn();
  });
});

describe('calling off', () => {
  test('cancelling rejects at once, whether or not the server stops', async () => {
    const { exchange, open } = held();
    const { line } = await dial(exchange);
    const caller = link();
    const asked = line.exchange(request(1, 'x'), caller);
    const reason = new Error('enough');
    caller.abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(open[0]?.link.signal.reason).toBe(reason);
    open[0]?.link.notify(notification(PROGRESS));
    open[0]?.answer(success(1, {}));
    await nextTurn();
    expect(caller.heard).toEqual([]);
    await expect(open[0]?.link.ask(request(1, 'x'))).rejects.toBe(reason);
  });

  test('a request whose link is already aborted is not sent', async () => {
    const { exchange, open } = held();
    const { line } = await dial(exchange);
    const caller = link();
    caller.abort.abort('before');
    await expect(line.exchange(request(1, 'x'), caller)).rejects.toBe('before');
    expect(open).toEqual([]);
  });

  test('cancelling a call also cancels the request that the server sent on its behalf', async () => {
    const questions = held();
    const { line } = await dial(async (message, back) => {
      await back.ask(request('q', 'sampling/createMessage'));
      return success(idOf(message), {});
    }, questions.exchange);
    const caller = link();
    const asked = line.exchange(request(1, 'x'), caller);
    await nextTurn();
    caller.abort.abort('stop');
    await expect(asked).rejects.toBe('stop');
    expect(questions.open[0]?.link.signal.aborted).toBe(true);
  });
});

describe('closing', () => {
  test('closing settles open requests in both directions and closes the server once', async () => {
    const [calls, questions] = [held(), held()];
    const { line, outlet, closes } = await dial(calls.exchange, questions.exchange);
    const asked = line.exchange(request(1, 'x'), link());
    const question = outlet.ask(request('q', 'roots/list'));
    await Promise.all([line.close(), line.close()]);
    await expect(asked).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(question).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    expect(calls.open[0]?.link.signal.aborted).toBe(true);
    expect(await line.closed).toBeUndefined();
    expect(closes()).toBe(1);
    await expect(line.exchange(request(2, 'x'), link())).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(outlet.ask(request(2, 'x'))).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    outlet.notify(notification(TOOLS_CHANGED));
    expect(questions.open).toHaveLength(1);
  });

  test('closing by the server waits for open calls, and not for subscriptions', async () => {
    const { exchange, open } = held();
    const { line, outlet, closes } = await dial(exchange);
    const listening = line.exchange(request('s', LISTEN), link());
    const asked = line.exchange(request(1, 'shutdown'), link());
    outlet.end();
    expect(closes()).toBe(0);
    await expect(line.exchange(request(2, 'x'), link())).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    open[1]?.answer(success(1, {}));
    expect(await asked).toEqual(success(1, {}));
    await expect(listening).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    expect(await line.closed).toMatchObject({
      code: 'MCP_CLOSED',
      message: expect.stringContaining('the server has ended'),
    });
    expect(closes()).toBe(1);
  });
});
