/** A custom transport, written with `mooring/transport` and a socket only. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, connect as socketTo } from 'node:net';
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { link } from '../../test/support/wire.ts';
import { Duplex, type Exchange, faultOf, Lines, parse, type RpcRequest, type Transport } from './index.ts';
import { serveStdio } from './stdio.ts';

/** A transport over TCP, with messages framed by newlines as on stdio. */
function tcpTransport(port: number, strays: string[] = []): Transport {
  return async (inbound, session) => {
    const socket = socketTo(port, '127.0.0.1');
    await once(socket, 'connect');
    const send = (message: unknown): void => void socket.write(`${JSON.stringify(message)}\n`);
    const duplex = new Duplex({ send, inbound, session, ignoreNoise: true, onStray: (what) => strays.push(what) });
    const lines = new Lines({ onLine: (line) => duplex.receive(parse(line)), onDropped: () => socket.destroy() });
    socket.on('data', (chunk) => lines.push(chunk));
    const closed = new Promise<Error | undefined>((resolve) => {
      socket.once('close', () => {
        duplex.end(new Error('the socket is closed'));
        resolve(undefined);
      });
    });
    const close = async (): Promise<void> => {
      socket.end();
      await closed;
    };
    return { exchange: duplex.exchange, close, closed };
  };
}

test('stdio framing carries a conversation over a socket, both ways, and the end of one side ends the other', async () => {
  verifies('BASE-088');
  const served: Promise<void>[] = [];
  const exchange: Exchange = async (message, back) => {
    const { id, params } = message as RpcRequest;
    back.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 't', progress: 1 } });
    const answer = await back.ask({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
    return { jsonrpc: '2.0', id, result: { params, answer } };
  };
  const listener = createServer((socket: Socket) => {
    served.push(serveStdio({ open: () => ({ exchange, close: () => undefined }) }, { input: socket, output: socket }));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const inbound: Exchange = (message) =>
    Promise.resolve({ jsonrpc: '2.0', id: (message as RpcRequest).id, result: { roots: [] } });
  const line = await tcpTransport((listener.address() as AddressInfo).port)(inbound, {});
  const caller = link();
  const params = { text: 'Grüße\n', _meta: { progressToken: 't' } };
  const response = await line.exchange({ jsonrpc: '2.0', id: 'mine', method: 'x', params }, caller);
  const answer = { jsonrpc: '2.0', id: 'q', result: { roots: [] } };
  expect(response).toEqual({ jsonrpc: '2.0', id: 'mine', result: { params, answer } });
  expect(caller.heard).toHaveLength(1);
  expect(faultOf(response)).toBeUndefined();
  await line.close();
  await Promise.all(served);
  expect(served).toHaveLength(1);
  listener.close();
});
