/**
 * One tool that asks twice, and whose second question depends on the first answer. It is written once; in some revisions the handler
 * waits for the user, in others it is run again from the top, up to the next question.
 *
 *   npx tsx examples/asks-twice.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { everyRevision, fakeUser } from 'mooring/testing';
import * as z from 'zod';
import { everywhere } from './support/everywhere.ts';

const free = new Map([
  ['Friday', ['18:00', '21:30']],
  ['Saturday', ['19:00']],
]);
const booked: string[] = [];

// #region tool
const reserve = tool({
  name: 'reserve',
  description: 'Reserves a table',
  input: z.object({ guests: z.number().int().min(1).max(8) }),
  async run({ guests }, ctx) {
    const day = await ctx.ask('day', 'Which day?', z.object({ day: z.enum([...free.keys()]) }));
    if (!day.accepted) return 'Nothing is reserved';

    const hours = free.get(day.value.day) ?? [];
    const hour = await ctx.ask('hour', `When on ${day.value.day}?`, z.object({ hour: z.enum(hours) }));
    if (!hour.accepted) return 'Nothing is reserved';

    // Behind the last question: this happens once, however often the handler was run to get here.
    booked.push(`${day.value.day} ${hour.value.hour}`);
    return `A table for ${guests} on ${day.value.day} at ${hour.value.hour}`;
  },
});
// #endregion

const bookings = tool({ name: 'bookings', effects: 'read', run: () => booked.splice(0).join(', ') });
const restaurant = createServer({ name: 'restaurant', version: '1.0.0', parts: [reserve, bookings] });

// #region user
const user = fakeUser().answer('Which day', 'Friday').answer('When on Friday', '21:30');
// #endregion
let asked = 0;
await everywhere({ server: restaurant, file: import.meta.url, elicit: user.elicit }, async (client, place) => {
  const { text, isError } = await client.attempt('reserve', { guests: 2 });
  const questions = user.asked.slice(asked).map(({ message }) => message);
  asked = user.asked.length;
  // The two oldest revisions have no way to ask the user; the model is told so.
  if (isError) {
    assert.match(text, /does not support/, place);
    assert.deepEqual(questions, []);
    assert.ok(restaurant.revisions.slice(3).includes(client.server.revision), place);
    return;
  }
  assert.equal(text, 'A table for 2 on Friday at 21:30');
  assert.deepEqual(questions, ['Which day?', 'When on Friday?']);
  assert.equal((await client.call('bookings')).text, 'Friday 21:30', 'reserved once');
});

// A user who declines the second question has reserved nothing.
const undecided = fakeUser().answer('Which day', 'Saturday').cancel('When on Saturday');
await everyRevision(
  restaurant,
  async (client) => {
    const { text, isError } = await client.attempt('reserve', { guests: 2 });
    if (!isError) assert.equal(text, 'Nothing is reserved');
    assert.equal((await client.call('bookings')).text, '');
  },
  { elicit: undecided.elicit },
);
