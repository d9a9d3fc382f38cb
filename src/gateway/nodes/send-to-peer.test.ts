/** Messages between nodes: retries when a pooled connection was closed, and incomplete responses. */
import { Agent, createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { systemClock } from '../../peer/clock.ts';
import { PeerEnvelopes } from './peer-envelope.ts';
import { type PeerMessageEnd, sendToPeer } from './send-to-peer.ts';

const keys = [new Uint8Array(32).fill(1)];

test('a message that meets the end of a kept connection is sent again on another one, once', async () => {
  const [sender, receiver] = [new PeerEnvelopes('a', keys, systemClock), new PeerEnvelopes('b', keys, systemClock)];
  const used = new Set<Socket>();
  let [isOver, requests] = [false, 0];
  const peer = createServer((incoming, response) => {
    requests++;
    // Each connection carries one message and is reset by the next, like one that was idle too long.
    if (used.has(incoming.socket) || isOver) {
      incoming.socket.resetAndDestroy();
      return;
    }
    used.add(incoming.socket);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const envelope = receiver.open(Buffer.concat(chunks).toString('latin1'));
      const event = receiver.sealEvent({ got: envelope?.body ?? {} }, envelope?.nonce ?? '', 0);
      response.end(`data: ${event}\n\n`);
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  const { port } = peer.address() as AddressInfo; // it listens on a port
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (n: number): Promise<[PeerMessageEnd, JsonObject[]]> => {
    const events: JsonObject[] = [];
    const onEvent = (event: JsonObject): void => void events.push(event);
    const way = { address: `http://127.0.0.1:${port}`, agent, clock: systemClock, onEvent };
    return [await sendToPeer({ ...way, ...sender.seal('b', 'deliver', { n }) }, sender).ended, events];
  };
  expect(await send(1)).toEqual(['answered', [{ got: { n: 1 } }]]);
  expect(await send(2)).toEqual(['answered', [{ got: { n: 2 } }]]);
  expect(requests).toBe(3);
  isOver = true;
  // The pooled connection, and one more.
  expect(await send(3)).toEqual(['lost', []]);
  expect(requests).toBe(5);
  agent.destroy();
  peer.close();
});

test.each<[string, (text: (n: number) => string, response: ServerResponse) => void]>([
  ['one that another message was answered with', (_, response) => response.end('data: bm90aGluZw\n\n')],
  ['one that was left out', (text, response) => response.end(text(0) + text(2))],
  ['one that came twice', (text, response) => response.end(text(0) + text(0))],
  [
    'no last one, since the connection broke off',
    (text, response) => response.write(text(0), () => response.socket?.destroy()),
  ],
])('an answer whose events have %s did not come to its end', async (_, answer) => {
  const sender = new PeerEnvelopes('a', keys, systemClock);
  const { nonce, sealed } = sender.seal('b', 'deliver', {});
  const peer = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      answer((n) => `data: ${sender.sealEvent({ n }, nonce, n)}\n\n`, response);
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void peer.close().closeAllConnections());
  const address = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`; // it listens on a port
  const way = { address, agent: new Agent(), clock: systemClock, onEvent: () => undefined };
  expect(await sendToPeer({ ...way, nonce, sealed }, sender).ended).toBe('lost');
});
