/** A TCP connection that is slow, or breaks. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Milliseconds by which each piece is late. */
  delayMs: number;
  /** Breaks this share of the open connections. */
  cut(share: number): void;
  stop(): void;
}

export async function startRelay(target: number): Promise<Relay> {
  const open = new Set<Socket>();
  const relay = { delayMs: 0 };
  /** In order: each piece waits for its own time and for the one before it. */
  const pipe = (from: Socket, to: Socket): void => {
    let last: Promise<void> | undefined;
    const later = (run: () => void): void => {
      const due = new Promise<void>((resolve) => void setTimeout(resolve, relay.delayMs));
      const own = Promise.all([last, due]).then(() => {
        run();
        if (last === own) last = undefined;
      });
      last = own;
    };
    const inOrder = (run: () => void): void => (last === undefined && relay.delayMs === 0 ? run() : later(run));
    from.on('data', (chunk) => inOrder(() => void (to.destroyed || to.write(chunk))));
    from.on('end', () => inOrder(() => void to.end()));
    from.on('close', () => inOrder(() => void to.destroySoon()));
    from.on('error', () => to.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (caller) => {
    const callee = connect(target, '127.0.0.1');
    open.add(caller);
    caller.on('close', () => open.delete(caller));
    pipe(caller, callee);
    pipe(callee, caller);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return Object.assign(relay, {
    port,
    cut: (share: number) => {
      for (const socket of [...open]) if (Math.random() < share) socket.destroy();
    },
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  });
}
