/** The port for other nodes: message format, size limits and authentication. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { systemClock } from '../../peer/clock.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { PeerEnvelopes } from './peer-envelope.ts';
import { type PeerAnswer, type PeerHandler, PeerListener } from './peer-listener.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const keys = [randomBytes(32)];
const sender = new PeerEnvelopes('two', keys, systemClock);
const message = (): string => sender.seal('one', 'hangUp', {}).sealed;

async function listening(handle?: PeerHandler) {
  const answers: PeerAnswer[] = [];
  const envelopes = new PeerEnvelopes('one', keys, systemClock);
  // The clock stands still, so a slow machine does not cause timeouts.
  const listener = new PeerListener(envelopes, handle ?? ((_, answer) => void answers.push(answer)), virtualClock());
  const port = await listener.listen({ port: 0 });
  onTestFinished(() => {
    // close() would wait for readers, and there are none.
    for (const answer of answers) answer.end();
    return listener.close();
  });
  const send = (body: string, path = '/peer', method = 'POST'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, path, method, agent: false }, resolve);
      sent.once('error', reject).end(body, 'latin1');
    });
  return { answers, port, send };
}

test.each([
  ['/peer', 'PUT'],
  ['/peer/', 'POST'],
  ['/peer?a', 'POST'],
  ['//peer', 'POST'],
  ['/PEER', 'POST'],
  ['/%70eer', 'POST'],
])('a message for %s by %s is not read, and still opens where it belongs', async (path, method) => {
  const { send, answers } = await listening();
  const sealed = message();
  expect((await send(sealed, path, method)).statusCode).toBe(404);
  expect(answers).toEqual([]);
  expect((await send(sealed)).statusCode).toBe(200);
  expect(answers).toHaveLength(1);
});

test('a message of 16 MiB is taken, and a longer one is not', async () => {
  const { send, answers } = await listening();
  const ofLength = (most: number): string => {
    const sealed = (fill: number): string => sender.seal('one', 'deliver', { fill: 'x'.repeat(fill) }).sealed;
    // Base64: four characters for three bytes.
    const lengthFor = (fill: number): number => sealed(fill % 3).length + 4 * Math.floor(fill / 3);
    const fill = Math.floor(((most - sealed(0).length) * 3) / 4);
    return sealed([fill, fill + 1, fill + 2].findLast((one) => lengthFor(one) <= most) ?? 0);
  };
  const [whole, longer] = [ofLength(MAX_BYTES), ofLength(MAX_BYTES + 2)];
  expect([whole.length, longer.length]).toEqual([MAX_BYTES, MAX_BYTES + 2]);
  expect((await send(whole)).statusCode).toBe(200);
  expect(
    await send(longer).then(
      ({ statusCode }) => statusCode,
      () => 404,
    ),
  ).toBe(404);
  expect(answers).toHaveLength(1);
});

test('messages that are being read take 64 MiB together: for more, the one that began first is dropped', async () => {
  const { send, port } = await listening();
  const dropped: number[] = [];
  const part = Buffer.alloc(MAX_BYTES - 1, 'x');
  /** A message of which all but the last byte has arrived. */
  const begin = async (n: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).once('close', () => dropped.push(n));
    socket.write(`POST /peer HTTP/1.1\r\nHost: one\r\nContent-Length: ${MAX_BYTES}\r\n\r\n`);
    await new Promise<void>((resolve) => void socket.write(part, () => resolve()));
    return socket;
  };
  const begun: Socket[] = [];
  for (const n of [1, 2, 3, 4]) begun.push(await begin(n));
  expect((await send('made up')).statusCode).toBe(404);
  expect(dropped).toEqual([]);
  begun.push(await begin(5));
  await soon(() => expect(dropped).toEqual([1]));
  // Complete messages free their space.
  for (const socket of begun.slice(1)) {
    const answer = once(socket, 'data');
    socket.write('x');
    expect(String(await answer)).toMatch(/^HTTP\/1.1 404 /);
  }
  expect((await send(message())).statusCode).toBe(200);
  for (const n of [6, 7, 8, 9]) await begin(n);
  expect((await send(message())).statusCode).toBe(200);
  // Only connections with a response are closed when idle.
  expect(dropped.filter((n) => n > 5)).toEqual([]);
});

test('256 messages are answered at a time; one more is told so, is not spent, and comes in when one has ended', async () => {
  const { send, answers } = await listening();
  for (let n = 0; n < 256; n++) expect((await send(message())).statusCode).toBe(200);
  const late = message();
  expect([(await send(late)).statusCode, (await send('made up')).statusCode]).toEqual([503, 503]);
  expect((await send(message(), '/other')).statusCode).toBe(404);
  expect(answers).toHaveLength(256);
  answers[0]?.end();
  await soon(async () => expect((await send(late)).statusCode).toBe(200));
  expect(answers).toHaveLength(257);
});

test('messages whose nodes hang up at once keep no place', async () => {
  const { send, answers, port } = await listening();
  for (let n = 0; n < 300; n++)
    await new Promise<void>((resolve) => {
      const sent = request({ port, path: '/peer', method: 'POST', agent: false });
      sent.on('error', () => undefined).once('close', () => resolve());
      sent.end(message(), 'latin1', () => sent.destroy());
    });
  await soon(async () => expect((await send(message())).statusCode).toBe(200));
  expect(answers.length).toBeGreaterThan(0);
});

test('an answer that ended is not lost, one whose node hung up is, and what is sent after that goes nowhere', async () => {
  const { send, answers } = await listening();
  const lost: string[] = [];
  const open = async (name: string): Promise<{ response: IncomingMessage; answer: PeerAnswer }> => {
    const response = await send(message());
    const answer = answers.at(-1) as PeerAnswer; // the listener accepted it
    answer.onLost(() => lost.push(name));
    return { response: response.resume(), answer };
  };
  const { response, answer } = await open('ended');
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  answer.send({ a: 1 });
  answer.end();
  await new Promise((resolve) => response.once('close', resolve));
  const other = await open('hung up');
  other.response.destroy();
  await soon(() => expect(lost).toEqual(['hung up']));
  expect(() => other.answer.send({ b: 1 })).not.toThrow();
});

test('a message that cannot be handled is not left without an end', async () => {
  const { send } = await listening(() => {
    throw new Error('broken');
  });
  const response = (await send(message())).resume();
  await new Promise((resolve) => response.once('error', () => undefined).once('close', resolve));
  expect(response.complete).toBe(false);
});

test('a port that is taken is an error, and so is an address that is not of this machine', async () => {
  const { port } = await listening();
  const other = new PeerListener(new PeerEnvelopes('x', keys, systemClock), () => undefined, systemClock);
  await expect(other.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(other.listen({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});

test('without a host, other machines cannot reach the port', async () => {
  const { port } = await listening();
  // A listener on all addresses would accept this one, too.
  const [error] = await once(connect(port, '127.0.0.2'), 'error');
  expect(error).toBeInstanceOf(Error);
});
