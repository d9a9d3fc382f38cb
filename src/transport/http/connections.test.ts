import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { limitConnections } from './connections.ts';

/** A fake connection from another machine. */
class FakeSocket extends Duplex {
  readonly remoteAddress: string;
  heard = '';

  constructor(remoteAddress: string) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {
    // Data is pushed.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.heard += chunk.toString();
    done();
  }

  get status(): string {
    return this.heard.split('\r\n', 1)[0] ?? '';
  }
}

interface Listener {
  readonly server: Server;
  readonly clock: HeldClock;
  readonly asked: string[];
  /** Opens a connection from this address and sends a request. */
  from(address: string): Promise<FakeSocket>;
}

function listening(limit: number): Listener {
  const asked: string[] = [];
  const clock = new HeldClock();
  const server = createServer((request, response) => {
    asked.push(String(request.socket.remoteAddress));
    response.end('served');
  });
  limitConnections(server, limit, clock);
  return {
    server,
    clock,
    asked,
    async from(address) {
      const socket = new FakeSocket(address);
      server.emit('connection', socket as unknown as Socket); // the members that the server uses
      socket.push('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await settled();
      return socket;
    },
  };
}

test('connections are limited for each address separately', async () => {
  const { from, asked } = listening(2);
  const eve = [await from('203.0.113.7'), await from('::ffff:203.0.113.7'), await from('203.0.113.7')];
  const ada = await from('203.0.113.8');
  const [ok, refused] = ['HTTP/1.1 200 OK', 'HTTP/1.1 429 Too Many Requests'];
  expect([...eve, ada].map(({ status }) => status)).toEqual([ok, ok, refused, ok]);
  expect(eve[2]?.heard).toContain('maxConnectionsPerAddress');
  expect(asked).toEqual(['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.8']);
});

test('a connection that has ended no longer counts', async () => {
  const { from } = listening(1);
  const first = await from('203.0.113.7');
  expect((await from('203.0.113.7')).status).toContain('429');
  first.destroy();
  await once(first, 'close');
  expect((await from('203.0.113.7')).status).toContain('200');
});

test('connections from loopback addresses are not counted, because they can belong to a proxy', async () => {
  const { from } = listening(1);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    for (let n = 0; n < 3; n++) expect((await from(address)).status).toContain('200');
  }
});

test('a rejected connection is closed, whether the client disconnects or not', async () => {
  const { from, clock } = listening(0);
  const refused = await from('203.0.113.7');
  expect(refused.destroyed).toBe(false);
  await clock.pass(1_000);
  expect(refused.destroyed).toBe(true);
  const polite = await from('203.0.113.7');
  polite.push(null);
  await once(polite, 'close');
  await clock.pass(1_000);
});

test('an error of a rejected connection does not reach the process', async () => {
  const { from } = listening(0);
  const broken = await from('203.0.113.7');
  const closed = new Promise((resolve) => broken.once('close', resolve));
  broken.destroy(new Error('reset'));
  await closed;
  expect(broken.status).toContain('429');
});
