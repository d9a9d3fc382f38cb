import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { undiciWire } from './undici-wire.ts';

const MiB = 1024 * 1024;

/** The head of a gzip stream, and a block that can be repeated: each decompresses to one mebibyte of the same letter. */
async function gzipBlocks(): Promise<[head: Buffer, block: Buffer]> {
  const gzip = createGzip();
  const flushed = async (): Promise<Buffer> => {
    await new Promise<void>((resolve) => gzip.flush(constants.Z_FULL_FLUSH, resolve));
    return (gzip.read() as Buffer | null) ?? Buffer.alloc(0); // it is not read as text
  };
  gzip.write(Buffer.alloc(MiB, 0x3a));
  const head = await flushed();
  gzip.write(Buffer.alloc(MiB, 0x3a));
  return [head, await flushed()];
}

/** Writes as fast as the client reads. */
async function writeOn(response: ServerResponse, piece: Buffer): Promise<void> {
  for (;;) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

test('compressed data is read no faster than it can be decompressed', async () => {
  const [head, block] = await gzipBlocks();
  let response: ServerResponse | undefined;
  const server = createServer((_, reply) => {
    response = reply;
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    reply.write(head);
    void writeOn(reply, Buffer.concat(Array.from({ length: 256 }, () => block)));
  });
  const url = new URL(await listen(server));
  const wire = undiciWire(url.origin);
  let expanded = 0;
  await new Promise<void>((resolve, reject) => {
    wire.send(
      { method: 'GET', url, headers: {}, body: undefined },
      {
        head: () => undefined,
        data: (chunk) => {
          expanded += chunk.length;
          if (expanded > 128 * MiB) resolve();
        },
        end: () => reject(new Error('it has no end')),
        fail: reject,
      },
    );
  });
  // A thousandth of the decompressed bytes, and the buffers of the system.
  expect(response?.socket?.bytesWritten).toBeLessThan(32 * MiB);
  wire.close();
  server.closeAllConnections();
  server.close();
});
