/**
 * A stdio server with tasks, for tests that kill it. Environment: STORE (see `openPlace`), DEEDS (a file that records effects),
 * STOP_AT (an operation of the store, or `in step charge`), LEASE_MS, CLOCK_SKEW_MS, MAX_TASKS.
 */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, ToolError, tool } from '../../src/index.ts';
import type { StepInfo } from '../../src/revisions/contract.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { dieHere, faultyStore } from './faults.ts';
import { openPlace } from './places.ts';

const { STORE = '', DEEDS = '', STOP_AT, LEASE_MS = '400', CLOCK_SKEW_MS = '0', MAX_TASKS = '10000' } = process.env;
const trueNow = Date.now;
Date.now = () => trueNow() + Number(CLOCK_SKEW_MS);

const tell = (line: object): void => appendFileSync(DEEDS, `${JSON.stringify(line)}\n`);

/** Records an external effect, and the run that caused it. */
function act(name: string, { idempotencyKey, fence }: StepInfo): string {
  tell({ name, idempotencyKey, fence, pid: process.pid });
  return `${process.pid}-${fence}`;
}

async function charge(step: StepInfo): Promise<string> {
  act('charge', step);
  if (STOP_AT === 'in step charge') await dieHere();
  await sleep(20);
  return 'r-1';
}

const task = { resume: true, pollMs: 100, askMs: 600_000, runMs: 600_000 };
const order = tool({
  name: 'order',
  description: 'Orders something: two steps with a question between them',
  task,
  async run(_, ctx) {
    // The client kills it here.
    if (STOP_AT === 'in handler') await new Promise(() => undefined);
    const price = await ctx.once('price', (step) => ({ cents: 4200, by: act('price', step) }));
    if (!(await ctx.confirm('go', `It costs ${price.cents} cents. Go on?`))) throw new ToolError('Declined');
    return `Paid ${price.cents}: ${await ctx.once('charge', charge)}`;
  },
});

const orderOnce = tool({
  name: 'order-once',
  description: 'Orders something that must not happen twice',
  task,
  async run(_, ctx) {
    await ctx.once('price', (step) => act('price', step));
    if (!(await ctx.confirm('go', 'Go on?'))) throw new ToolError('Declined');
    return ctx.once('charge', charge, { again: false });
  },
});

const store = await openPlace(STORE);
const server = createServer({
  name: 'worker',
  version: '1.0.0',
  parts: [order, orderOnce],
  tasks: {
    leaseMs: Number(LEASE_MS),
    maxTasks: Number(MAX_TASKS),
    store: faultyStore(store, STOP_AT, ({ id, version, steps, outcome }) =>
      tell({ name: 'put', id, version, steps, outcome }),
    ),
  },
});
await serveStdio(server);
process.exit(0);
