/**
 * The second server of `npm start`: a program of its own, on standard input and output. It uses the package as it was built, and no
 * TypeScript, as any user of it may.
 *
 *   node examples/start/crane.mjs [revision …]
 */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, tool } from 'mooring';
import { serveStdio } from 'mooring/stdio';
import * as z from 'zod';

const status = tool({
  name: 'status',
  description: 'How the crane is',
  effects: 'read',
  openWorld: false,
  run: () => 'The crane is fine',
});

const unload = tool({
  name: 'unload',
  description: 'Unload containers, one after the other: watch it, or press Ctrl-C',
  effects: 'write',
  openWorld: false,
  input: z.object({
    containers: z.number().int().min(1).max(1000).default(20),
    pauseMs: z.number().int().min(0).max(1000).default(150).describe('For each of them'),
  }),
  async run({ containers, pauseMs }, ctx) {
    ctx.log('info', `The crane takes on ${containers} containers`);
    for (let one = 1; one <= containers; one++) {
      await pause(pauseMs, undefined, { signal: ctx.signal });
      ctx.progress(one, containers, `container ${one}`);
      if (one % 10 === 0) ctx.log('info', `${one} containers stand on the quay`);
    }
    return `Unloaded ${containers} containers`;
  },
});

const revisions = process.argv.slice(2);
const crane = createServer({
  name: 'crane',
  title: 'The crane',
  version: '1.0.0',
  parts: [status, unload],
  // Cancelled work ends with an error, which is expected.
  onError: () => undefined,
  onWarning: () => undefined,
  ...(revisions.length === 0 ? {} : { revisions }),
});
await serveStdio(crane);
