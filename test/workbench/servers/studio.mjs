// A server whose calls are tasks, one for each outcome; a file argument describes one of its tools.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { createServer, ToolError, tool } from '../../../dist/index.js';
import { serveStdio } from '../../../dist/transport/stdio.js';

const description = readFileSync(process.argv[2] ?? '', 'utf8').trim();
const render = tool({
  name: 'render',
  description: 'Render the scene, frame by frame',
  effects: 'write',
  task: true,
  input: z.object({ frames: z.number().int().min(1).describe('How many frames') }),
  async run({ frames }, ctx) {
    for (let frame = 1; frame <= frames; frame++) {
      ctx.progress(frame, frames, `Frame ${frame} of ${frames}`);
      await pause(1_000, undefined, { signal: ctx.signal });
    }
    return `${frames} frames rendered`;
  },
});
const order = tool({
  name: 'order',
  description: 'Order a print of the scene; asks about the price',
  effects: 'write',
  task: true,
  async run(_, ctx) {
    if (!(await ctx.confirm('price', 'A print costs 9 €. Order it?'))) throw new ToolError('Declined');
    return 'The print is ordered';
  },
});
const index = tool({
  name: 'index',
  description: 'Index all scenes',
  effects: 'read',
  task: true,
  run: () => '1,204 scenes indexed',
});
const upload = tool({
  name: 'upload',
  description: 'Upload the scene to the archive',
  effects: 'write',
  task: true,
  run: () => {
    throw new ToolError('The archive has no room left');
  },
});
const publish = tool({ name: 'publish', description, effects: 'write', run: () => 'Published' });

await serveStdio(
  createServer({ name: 'studio', version: '1.0.0', parts: [render, order, index, upload, publish], tasks: true }),
);
