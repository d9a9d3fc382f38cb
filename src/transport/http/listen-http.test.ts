/** How a listener handles duplicate headers, limits connections and shuts down. */
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { listenHttp } from './listen-http.ts';

/** Connects, sends requests, and reports the number sent and the responses. */
const client = String.raw`
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, count, sent } } = require('node:worker_threads');
  const lines = Array.from({ length: count }, () => new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n', () => {
        Atomics.add(sent, 0, 1);
        Atomics.notify(sent, 0);
      });
    });
    socket.on('data', (chunk) => { text += chunk; });
    socket.on('error', (error) => resolve(error.code));
    socket.on('close', () => resolve(text.split('\r\n')[0]));
  }));
  Promise.all(lines).then((all) => parentPort.postMessage(all));
`;

test('requests on connections that the system accepted before a listener closes are answered', async () => {
  const answer = (_: IncomingMessage, response: ServerResponse): void => void response.end('here');
  const handler = Object.assign(answer, { close: () => Promise.resolve() });
  const listener = await listenHttp(handler, { port: 0 }, '/');
  const count = 20;
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const port = Number(new URL(listener.url).port);
  const worker = new Worker(client, { eval: true, workerData: { port, count, sent } });
  const answered = new Promise<unknown>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  // Blocks this thread meanwhile: the system accepts the connections, and this process does not.
  for (let seen = 0; seen < count; seen = Atomics.load(sent, 0)) Atomics.wait(sent, 0, seen);
  await listener.close();
  expect(await answered).toEqual(Array.from({ length: count }, () => 'HTTP/1.1 200 OK'));
  await worker.terminate();
});

test.each(['Host: 127.0.0.1', 'Content-Type: application/json'])('a duplicate header is detected: %s', async (line) => {
  const seen: unknown[] = [];
  const [name = ''] = line.split(':');
  const answer = ({ headers }: IncomingMessage, response: ServerResponse): void => {
    seen.push(headers[name.toLowerCase()]);
    response.end();
  };
  const listener = await listenHttp(Object.assign(answer, { close: () => Promise.resolve() }), { port: 0 }, '/');
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  const host = name === 'Host' ? '' : 'Host: 127.0.0.1\r\n';
  socket.write(`GET / HTTP/1.1\r\n${host}${line}\r\n${name}: other\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(seen).toEqual([`${line.slice(name.length + 2)}, other`]);
  await listener.close();
});

test('one address cannot open more connections than allowed', async () => {
  // Loopback addresses are not counted.
  const arriving = vi.spyOn(Server.prototype, 'emit').mockImplementation(function (
    this: Server,
    name: string,
    ...of: unknown[]
  ) {
    if (name === 'connection') Object.defineProperty(Object(of[0]), 'remoteAddress', { value: '192.0.2.7' });
    return EventEmitter.prototype.emit.call(this, name, ...of);
  });
  const answer = (_: IncomingMessage, response: ServerResponse): void => void response.end('here');
  const handler = Object.assign(answer, { close: () => Promise.resolve() });
  const listener = await listenHttp(handler, { port: 0, maxConnectionsPerAddress: 1 }, '/');
  const port = Number(new URL(listener.url).port);
  const ask = async (): Promise<{ socket: Socket; head: string }> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [string]; // by its encoding
    return { socket, head: head.split('\r\n')[0] ?? '' };
  };
  const [first, second] = [await ask(), await ask()];
  expect([first.head, second.head]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 429 Too Many Requests']);
  for (const { socket } of [first, second]) socket.destroy();
  arriving.mockRestore();
  await listener.close();
});

test('the error for a port in use says what to do, and has a frame of its caller', async () => {
  const handler = Object.assign(() => undefined, { close: () => Promise.resolve() });
  const first = await listenHttp(handler, { port: 0 }, '/');
  const port = Number(new URL(first.url).port);
  const callListen = async (): Promise<unknown> => await listenHttp(handler, { port }, '/');
  const error: unknown = await callListen().catch((reason: unknown) => reason);
  await first.close();
  expect(error).toMatchObject({
    message: `Another process listens on 127.0.0.1:${port}. Pass another port, or 0 for a free one`,
    ...{ code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port },
    cause: expect.objectContaining({ message: expect.stringContaining('EADDRINUSE') }),
    stack: expect.stringContaining('callListen'),
  });
});
