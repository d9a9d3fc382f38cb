/** Finds free ports for processes that need a fixed one. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Below the ephemeral ports, which a connection could take before the process listens. */
const [FIRST_PORT, PORTS] = [20_000, 10_000];
/** Ports that this process has given out. */
const given = new Set<number>();

/**
 * Connects instead of listening: a process that another test starts holds a copy of each listening socket until its program is loaded,
 * and the port would be in use that long.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const socket = connect(port, '127.0.0.1');
    const isFree = await once(socket, 'connect').then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    );
    socket.destroy();
    if (isFree) return port;
  }
}
