import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { Engagements } from './engagements.ts';

const ada = { id: 's1', principal: 'ada' };
const bo = { id: 's2', principal: 'bo' };

test('a question belongs to the one session that deals with the server, and to nobody where there are two', () => {
  const engagements = new Engagements();
  expect(engagements.with('files')).toBeUndefined();
  const first = engagements.begin(ada, act());
  const second = engagements.begin(ada, act());
  expect(engagements.with('files')).toEqual(ada);
  expect(engagements.with('mail')).toBeUndefined();
  const other = engagements.begin(bo, act());
  expect(engagements.with('files')).toBeUndefined();
  first();
  second();
  expect(engagements.with('files')).toEqual(bo);
  other();
  expect(engagements.with('files')).toBeUndefined();
});

test('what was exchanged is kept apart by session and server, in bounds, and only while the session lasts', () => {
  const engagements = new Engagements();
  for (let i = 0; i < 30; i++) engagements.begin(ada, act({ server: i % 2 === 0 ? 'files' : 'mail' }))(`told ${i}`);
  for (let i = 0; i < 30; i++) engagements.begin(ada, act())('x'.repeat(10_000));
  engagements.begin(bo, act())('told bo');
  engagements.begin(ada, act({ server: 'web' }))();
  expect(engagements.labels('s1')).toEqual(['files', 'mail']);
  expect(engagements.exchanged('s1', 'mail').length).toBe(15);
  expect(engagements.exchanged('s1', 'files').map(({ length }) => length)).toEqual(
    Array.from({ length: 20 }, () => 4_000),
  );
  expect(engagements.exchanged('s2', 'files').join()).toContain('told bo');
  engagements.end('s1');
  expect(engagements.exchanged('s1', 'mail')).toEqual([]);
  expect(engagements.exchanged('s2', 'files').length).toBe(1);
});
