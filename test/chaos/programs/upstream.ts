/** An upstream of the gateways. Writes each effect to a file before it responds. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod';
import { createServer, tool } from '../../../src/index.ts';
import { serveHttp } from '../../../src/transport/node.ts';
import { parentMessages, type UpstreamSettings } from './settings.ts';

const { port, revision, ledger, label }: UpstreamSettings = JSON.parse(process.env['CHAOS'] ?? '{}');
const file = openSync(ledger, 'a');

function record(key: string): void {
  writeSync(file, `${key}\n`);
  fsyncSync(file);
}

const input = z.object({ key: z.string() });
const STEPS = 20;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const server = createServer({
  name: label,
  version: '1.0.0',
  revisions: [revision],
  onError: () => undefined,
  stateKeys: [new Uint8Array(32).fill(7)],
  parts: [
    tool({
      name: 'once',
      input,
      run: ({ key }) => {
        record(key);
        return `done ${key}`;
      },
    }),
    tool({
      name: 'ask',
      input,
      run: async ({ key }, ctx) => {
        if (!(await ctx.confirm('go', key))) return `declined ${key}`;
        record(key);
        return `done ${key}`;
      },
    }),
    tool({
      name: 'stream',
      input,
      run: async ({ key }, ctx) => {
        for (let n = 1; n <= STEPS; n++) {
          ctx.progress(n, STEPS);
          await pause(10);
        }
        record(key);
        return `done ${key}`;
      },
    }),
  ],
});

let changes = 0;
const listener = await serveHttp(server, { port });
parentMessages((message) => {
  if (message !== 'change') return;
  server.add(tool({ name: `added-${process.pid}-${changes++}`, run: () => '' }));
});
process.on('SIGTERM', () => {
  void listener.close(1_000).then(() => {
    closeSync(file);
    process.exit(0);
  });
});
process.send?.('ready');
