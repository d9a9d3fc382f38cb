/** How often a server can ask for more scopes. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../../testing/virtual-clock.ts';
import { stepUpLimit } from './step-up-limit.ts';

const limited = () => {
  const clock = virtualClock();
  return { clock, tryRound: stepUpLimit(clock) };
};

test('a server can ask three times for the same scopes, in whatever order, and for the same operation', async () => {
  const { clock, tryRound } = limited();
  await clock.advance(600_000);
  for (const scopes of [
    ['a', 'b'],
    ['b', 'a'],
    ['a', 'b'],
  ])
    expect(tryRound('tools/call', scopes)).toBe(true);
  expect(tryRound('tools/call', ['b', 'a'])).toBe(false);
  expect(tryRound('tools/list', ['a', 'b'])).toBe(true);
  expect(tryRound('tools/call', ['a'])).toBe(true);
});

test('a server that invents new scopes can ask ten times in ten minutes', async () => {
  const { clock, tryRound } = limited();
  for (let round = 0; round < 10; round++) expect(tryRound('tools/call', [`scope${round}`])).toBe(true);
  expect(tryRound('tools/call', ['scope10'])).toBe(false);
  await clock.advance(599_999);
  expect(tryRound('tools/call', ['scope10'])).toBe(false);
  await clock.advance(1);
  expect(tryRound('tools/call', ['scope10'])).toBe(true);
});
