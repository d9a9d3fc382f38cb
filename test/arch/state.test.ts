/** Modules have no state, so that test files can share a thread and one server value can serve many callers. */
import { expect, test } from 'vitest';
import { codeOf, sourceFiles } from '../support/source.ts';

/** `file: line` of code that looks like state, each with the reason why it is not. */
const allowed: readonly string[] = [
  // What listens to a signal, which belongs to that signal and is forgotten with it.
  'src/peer/wait.ts: const listenersOf: WeakMap<AbortSignal, AbortListeners> = new WeakMap();',
  // Socket idle time, which only the system can measure.
  'src/transport/http/node-reply.ts: response.setTimeout(UNREAD_MS, () => {',
  "src/transport/http/node-reply.ts: response.prependOnceListener('finish', () => socket.setTimeout(before));",
];

const files = sourceFiles();

test('no module has a variable', () => {
  expect(lines(/^(?:export )?(?:let|var)\b.*/gm)).toEqual([]);
});

test('a collection at the top of a module is read-only by its type', () => {
  const made = lines(/^(?:export )?const \w+[^=\n]*=\s*new (?:Map|Set|WeakMap|WeakSet|Array)\b.*/gm);
  expect(made.filter((line) => !/: Readonly(?:Map|Set)</.test(line))).toEqual([]);
});

test('time comes from a clock that is passed in', () => {
  // A timer of zero is a turn of the event loop and measures nothing.
  const timers = lines(/^.*\b(?:setTimeout|setInterval|Date\.now|performance\.now)\(.*/gm);
  expect(timers.filter((line) => !line.startsWith('src/peer/clock.ts') && !/setTimeout\(\w+, 0\)/.test(line))).toEqual(
    [],
  );
});

function lines(pattern: RegExp): string[] {
  return files
    .flatMap((file) => [...codeOf(file).matchAll(pattern)].map(([line]) => `${file}: ${line.trim()}`))
    .filter((line) => !allowed.includes(line));
}
