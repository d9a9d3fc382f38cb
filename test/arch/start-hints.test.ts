/** The suggestions of `npm start` match its example servers. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(`examples/start/${name}`, 'utf8');

test('npm start suggests to book a berth for a ship that does not have one yet', () => {
  const moored = [...read('office.ts').matchAll(/\[\d, '(\w+)'\]/g)].map(([, ship]) => ship);
  const suggested = [
    ...read('start.ts').matchAll(/office\.book ship=(\w+)/g),
    ...read('parrot.ts').matchAll(/'Book a berth for the (\w+)'/g),
  ].map(([, ship]) => ship);
  expect(moored).toEqual(['Aurora']);
  expect(suggested).toHaveLength(2);
  expect(suggested.filter((ship) => moored.includes(ship))).toEqual([]);
});
