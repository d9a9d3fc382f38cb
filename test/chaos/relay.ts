/** A TCP proxy with latency, packet loss and broken connections. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** The delay of each chunk. */
  delayMs: number;
  /** The share of chunks that are lost at least once. As in TCP, they are retransmitted after a timeout, in order. */
  lossShare: number;
  /** Breaks this share of the open connections. */
  cut(share: number): void;
  /** Drops all data of this share of the open connections. The returned function breaks them. */
  lose(share: number): () => void;
  stop(): void;
}

/** The initial retransmission timeout; doubled after each loss. */
const RETRANSMIT_MS = 200;

export async function startRelay(target: number): Promise<Relay> {
  const open = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const relay = { delayMs: 0, lossShare: 0 };
  const lateBy = (): number => {
    let ms = relay.delayMs;
    for (let wait = RETRANSMIT_MS; Math.random() < relay.lossShare; wait *= 2) ms += wait;
    return ms;
  };
  const chosen = (share: number): Socket[] => [...open].filter(() => Math.random() < share);
  /** In order: each chunk waits for its own delay and for the previous chunk. */
  const pipe = (from: Socket, to: Socket): void => {
    let last: Promise<void> | undefined;
    const later = (ms: number, run: () => void): void => {
      const due = new Promise<void>((resolve) => void setTimeout(resolve, ms));
      const own = Promise.all([last, due]).then(() => {
        run();
        if (last === own) last = undefined;
      });
      last = own;
    };
    const inOrder = (run: () => void): void => {
      const ms = lateBy();
      if (last === undefined && ms === 0) run();
      else later(ms, run);
    };
    from.on('data', (chunk) => inOrder(() => void (to.destroyed || lost.has(from) || lost.has(to) || to.write(chunk))));
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
      for (const socket of chosen(share)) socket.destroy();
    },
    lose: (share: number) => {
      const sockets = chosen(share);
      for (const socket of sockets) lost.add(socket);
      return () => {
        for (const socket of sockets) socket.resetAndDestroy();
      };
    },
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  });
}
