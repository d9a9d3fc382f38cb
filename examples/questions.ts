/**
 * One handler that asks the user, in every revision: a live request where servers may send one, suspended and run again
 * where they may not. `ctx.once` keeps the results of steps either way.
 *
 *   npx tsx examples/questions.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { everyRevision } from 'mooring/testing';
import * as z from 'zod';

let holds = 0;

// #region tool
const book = tool({
  name: 'book',
  input: z.object({ city: z.string() }),
  async run({ city }, ctx) {
    // Asked together, answered together: one round.
    const [day, seats] = await Promise.all([
      ctx.ask('day', `When to ${city}?`, z.object({ day: z.string() })),
      ctx.ask('seats', 'How many seats?', z.object({ seats: z.number().int().min(1).max(9).default(1) })),
    ]);
    if (!day.accepted || !seats.accepted) return 'Not booked';
    const hold = await ctx.once('hold', () => `H${++holds}`);
    const sure = await ctx.confirm('sure', `Book ${seats.value.seats} to ${city} on ${day.value.day}?`);
    return sure ? `Booked ${hold}` : 'Not booked';
  },
});
// #endregion

const travel = createServer({ name: 'travel', version: '1.0.0', parts: [book] });
const answers = new Map<string, Record<string, string | number | boolean>>([
  ['When to Oslo?', { day: 'Friday' }],
  ['How many seats?', {}],
  ['Book 1 to Oslo on Friday?', { confirm: true }],
]);

await everyRevision(
  travel,
  async (client, revision) => {
    holds = 0;
    const booked = await client.call('book', { city: 'Oslo' }).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    // Asking the user came with the third revision.
    if (client.server.revision < '2025-06-18') assert.match(booked, /does not support/);
    else assert.deepEqual([booked, holds], ['Booked H1', 1]);
    console.log(revision, booked);
  },
  { elicit: ({ message }) => ({ action: 'accept', content: answers.get(message) ?? {} }) },
);
