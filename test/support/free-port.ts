/** Finds free ports for processes that need a fixed one. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, which a connection could take before the process listens. */
const [FIRST_PORT, PORTS] = [20_000, 10_000];
/** Ports that this process has given out. */
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
