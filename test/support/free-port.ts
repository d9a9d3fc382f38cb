/** Ports for processes that are told which one to listen on. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to connections: one of them could take the port before the process listens, or listens again. */
const [FIRST_PORT, PORTS] = [20_000, 10_000];
/** Those of this process, which may not listen yet. */
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
