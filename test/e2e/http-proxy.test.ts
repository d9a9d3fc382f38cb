/** A proxy that closes idle connections: calls that take longer than its timeout get their response. */
import { once } from 'node:events';
import { type AddressInfo, connect as dial, createServer as listen, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { stateless } from '../support/http-messages.ts';
import { begin } from '../support/http-raw.ts';
import { verifies } from '../support/verifies.ts';

const TIMEOUT_MS = 400;

interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Enables the idle timeout. Before, a busy machine can take longer to answer a first request. */
  hurry(): void;
  /** How many connections it closed. */
  cuts(): number;
}

/** Forwards bytes until none come back for longer than its timeout. */
async function impatient(url: string): Promise<Proxy> {
  const { hostname, port: to, pathname } = new URL(url);
  let [cuts, patience] = [0, 0];
  const open = new Set<Socket>();
  const server = listen((near) => {
    const far = dial(Number(to), hostname);
    open.add(far);
    const end = (): void => {
      open.delete(far);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    let heard = 0;
    far.on('data', () => heard++);
    far.on('timeout', () => {
      const before = heard;
      // Data that arrived while this process was busy counts as activity.
      setImmediate(() => {
        if (heard > before) return;
        cuts++;
        end();
      });
    });
    far.setTimeout(patience);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: at } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${at}${pathname}`,
    hurry() {
      patience = TIMEOUT_MS;
      for (const socket of open) socket.setTimeout(patience);
    },
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])(
  'a call of %s that says nothing for long is answered through it',
  async (revision) => {
    verifies('HTTP-114', 'HTTP-115');
    const { server, go, ran } = port();
    const listener = await serveHttp(server, { port: 0, keepAliveMs: TIMEOUT_MS / 8 });
    await using proxy = await impatient(listener.url);
    const client = await connect(proxy.url, { revisions: [revision] });
    const call = client.call('wait');
    await eventually('the call', () => ran() === 1);
    proxy.hurry();
    await pause(TIMEOUT_MS * 3);
    go();
    expect((await call).text).toBe('went on');
    expect(ran()).toBe(1);
    await client.close();
    await listener.close(0);
  },
);

test('it does hang up on those who are silent', async () => {
  const { server } = port();
  const listener = await serveHttp(server, { port: 0, keepAliveMs: TIMEOUT_MS / 8 });
  await using proxy = await impatient(listener.url);
  proxy.hurry();
  const sent = stateless('tools/call', { name: 'wait' }, { accept: 'application/json' });
  await expect(begin(proxy.url, sent)).rejects.toThrow('socket hang up');
  expect(proxy.cuts()).toBe(1);
  await listener.close(0);
});
