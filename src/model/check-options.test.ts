import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';
import { valueKind } from './value-kind.ts';

const names = { port: true, host: true, maxSessions: true, idleMs: true };
const check = (options: unknown): void => checkOptions('serve(server, { port })', options as object, names);

test('options with known names pass, also those that are undefined', () => {
  expect(() => check({})).not.toThrow();
  expect(() => check({ port: 1, host: 'a', maxSessions: 0, idleMs: undefined })).not.toThrow();
  expect(() => check({ maxSessions: Number.POSITIVE_INFINITY })).not.toThrow();
});

test.each([
  [{ prot: 1 }, 'there is no option "prot"; did you mean port?'],
  [{ wait: 1 }, 'there is no option "wait"; available: port, host, maxSessions, idleMs'],
  [{ toString: 1 }, 'there is no option "toString"; available: port, host, maxSessions, idleMs'],
  [3111, 'the options must be an object, not 3111'],
  [undefined, 'the options must be an object, not undefined'],
  [[], 'the options must be an object, not a list'],
  [{ maxSessions: '100' }, '"maxSessions" must be a number that is not negative, not text'],
  [{ maxSessions: -1 }, '"maxSessions" must be a number that is not negative, not -1'],
  [{ idleMs: Number.NaN }, '"idleMs" must be a number that is not negative, not NaN'],
])('options that cannot be meant are rejected with what to write: %j', (options, why) => {
  expect(() => check(options)).toThrow(`serve(server, { port }): ${why}`);
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [true, 'true'],
  ['secret', 'text'],
  [[], 'a list'],
  [() => 1, 'a function'],
  [Promise.resolve(1), 'a promise; await it first'],
  [{ kind: 'tool' }, 'a tool'],
  [{ open: () => 1 }, 'a server'],
  [{ kind: 7 }, 'an object'],
])('a value is named by its kind: %s', (value, kind) => {
  expect(valueKind(value)).toBe(kind);
});
