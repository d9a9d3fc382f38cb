/** A model provider on loopback: records requests, and streams what a test prepared. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Clock } from '../../src/peer/clock.ts';

export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
  /** Resolves when the client disconnects before the end. */
  readonly gone: Promise<void>;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one. */
  readonly pieces: readonly string[];
  /** Sends nothing more, and keeps the connection open. */
  readonly hangs?: true;
  /** Disconnects before the end. */
  readonly breaks?: true;
}

export interface FakeProvider extends AsyncDisposable {
  readonly origin: string;
  readonly asked: readonly Asked[];
}

export async function fakeProvider(answers: readonly FakeAnswer[]): Promise<FakeProvider> {
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body: Uint8Array[] = [];
      for await (const chunk of incoming) body.push(chunk as Uint8Array); // no encoding is set
      const gone = new Promise<void>((resolve) => outgoing.once('close', resolve));
      const parsed = JSON.parse(Buffer.concat(body).toString()) as JsonObject; // clients send JSON
      const headers = incoming.headers as Record<string, string | undefined>; // no header of ours is repeated
      asked.push({ path: incoming.url ?? '', headers, body: parsed, gone });
      await stream(outgoing, answers[asked.length - 1] ?? { status: 500, pieces: ['nothing left'] });
    })().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function stream(
  outgoing: ServerResponse,
  { status = 200, headers, pieces, hangs, breaks }: FakeAnswer,
): Promise<void> {
  outgoing.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  for (const piece of pieces) {
    outgoing.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (breaks === true) outgoing.destroy();
  else if (hangs !== true) outgoing.end();
}

/** Events with names. */
export const named = (...events: readonly JsonObject[]): string[] =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);

/** Events without names, and `[DONE]`. */
export const chunks = (...events: readonly JsonObject[]): string[] => [
  ...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  'data: [DONE]\n\n',
];

/** Records pauses and skips them; pauses longer than a minute never end, unless `ring` is called. */
export function hastyClock(): Clock & { readonly pauses: number[]; ring(): void } {
  const pauses: number[] = [];
  const long = new Set<() => void>();
  return {
    pauses,
    ring: () => {
      for (const run of long) run();
    },
    now: () => 0,
    wall: () => Date.UTC(2026, 0, 1),
    after(ms, run) {
      if (ms > 60_000) {
        long.add(run);
        return () => long.delete(run);
      }
      pauses.push(ms);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}
