import { describe, expect, test } from 'vitest';
import type { Tool } from '../../model/parts.ts';
import type { Shell } from '../shell.ts';
import { exampleCall, exampleLine } from './example-call.ts';

const shell = {} as Shell; // no file is read

const toolWith = (properties: object, required = Object.keys(properties)): Tool => ({
  name: 'try',
  inputSchema: { type: 'object', properties, required },
});

describe('an example call', () => {
  test.each([
    [{ a: { type: 'number' }, b: { type: 'boolean' } }, 'try a=1 b=true'],
    [{ size: { enum: ['s', 'm'] } }, 'try size=s'],
    [{ at: { type: 'string', format: 'date-time' } }, 'try at=2026-01-31T12:00:00Z'],
    [{ order: { type: 'string', pattern: '^A-\\d{4}$', examples: ['A-1041'] } }, 'try order=A-1041'],
    [{ days: { type: 'integer', minimum: 5, maximum: 9, multipleOf: 3 } }, 'try days=6'],
    [{ share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } }, 'try share=0.5'],
    [{ tag: { type: 'array', items: { type: 'string' }, minItems: 2 } }, 'try tag=text tag=text'],
    [{ tag: { type: 'array', items: { type: 'string' } } }, `try 'tag:=["text"]'`],
    [{ name: { type: 'string', examples: ["O'Hara & co"] } }, `try 'name=O'\\''Hara & co'`],
    [{ file: { type: 'string', default: '@notes' } }, `try 'file:="@notes"'`],
    [
      { to: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
      `try 'to:={"city":"text"}'`,
    ],
    [{ 'a=b': { type: 'string' } }, `try '{"a=b":"text"}'`],
    [{ id: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, 'try id=text'],
  ])('for %j passes the schema', async (properties, words) => {
    expect((await exampleCall(toolWith(properties), shell)).join(' ')).toBe(words);
  });

  test('leaves out what may be left out', async () => {
    expect(await exampleCall(toolWith({ a: { type: 'string' } }, []), shell)).toEqual(['try']);
  });

  test.each([{ not: {} }, { pattern: '^A-\\d{4}$' }])(
    'is the syntax of the call if no example fits %j',
    async (limits) => {
      const words = await exampleCall(toolWith({ a: { type: 'string', ...limits } }), shell);
      expect(words).toEqual(['try a=<text>']);
    },
  );

  test('names the server as it was named, with what chooses among several', () => {
    const values = { export: 'second' };
    const input = { words: ['./two servers.ts', 'try'], after: undefined, values };
    expect(exampleLine('call', ['try', 'a=1'], input).join(' ')).toBe(
      "mooring call './two servers.ts' try a=1 --export second",
    );
    expect(exampleLine('call', ['try'], { words: ['try'], after: ['node', 'x.js'], values: {} }).join(' ')).toBe(
      'mooring call try -- node x.js',
    );
  });
});
