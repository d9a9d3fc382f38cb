import { expect, test } from 'vitest';
import { grades } from '../../../test/fixtures/host/grades.ts';
import { namesOfOthers } from '../text/other-servers.ts';
import { type Grade, grade } from './grade.ts';
import { compareSchemas } from './grade-schema.ts';
import { pinnedForm } from './pinnable.ts';

const others = namesOfOthers(['mail'], ['send_email'], new Set(['read_file']));

const graded = (before: object, after: object): Grade =>
  grade({ before: pinnedForm(before), after: pinnedForm(after), others });

test('the corpus is large enough to mean something', () => {
  expect(grades.length).toBeGreaterThanOrEqual(60);
});

test.each(grades.map((pair) => [pair.grade, pair.says, pair] as const))('%s: %s', (_grade, _says, pair) => {
  const { status, reasons } = graded(pair.before, pair.after);
  expect({ status, reasons }).toMatchObject({ status: pair.grade });
  expect(reasons.length > 0).toBe(pair.grade !== 'pinned');
});

test('says what changed so that everything in it can be seen', () => {
  const before = { name: 'a', inputSchema: { type: 'object' } };
  const after = { name: 'a', inputSchema: { type: 'object', properties: { 'b\u202ec': {} }, required: ['b\u202ec'] } };
  expect(graded(before, after)).toEqual({
    status: 'suspicious',
    reasons: [
      expect.stringContaining('it contains characters that cannot be seen'),
      'it takes "b\\u{202e}c" now',
      '"b\\u{202e}c" of its input is required now',
    ],
  });
});

test('knows a picture by its hash, and does not look at when a thing was changed', () => {
  const picture = (letter: string): object => ({
    name: 'a',
    annotations: { lastModified: `2026-01-0${letter === 'A' ? 1 : 2}` },
    icons: [{ src: `data:image/png;base64,${letter.repeat(1_000)}` }],
  });
  expect(JSON.stringify(pinnedForm(picture('A'))).length).toBeLessThan(200);
  expect(graded(picture('A'), picture('A')).status).toBe('pinned');
  expect(graded(picture('A'), picture('B')).reasons).toEqual(['its icons changed']);
});

test('schemas that go on for ever are different, and nothing worse happens', () => {
  const deep = (end: object): object => {
    let schema = end;
    for (let i = 0; i < 1_000; i++) schema = { type: 'object', properties: { a: schema } };
    return { name: 'a', inputSchema: schema };
  };
  expect(graded(deep({ type: 'string' }), deep({ type: 'number' })).status).toBe('wider');
});

test('a schema is read once, however deep the change in it is', () => {
  const LEVELS = 60;
  let reads = 0;
  const deep = (end: string): object => {
    let schema: object = { type: end };
    for (let i = 0; i < LEVELS; i++) {
      const inner = schema;
      schema = {
        get properties() {
          reads++;
          return { a: inner };
        },
      };
    }
    return schema;
  };
  const [change] = compareSchemas(deep('string'), deep('number'), 'input');
  expect(change?.status).toBe('wider');
  expect(reads).toBe(2 * LEVELS);
});
