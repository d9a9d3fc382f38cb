import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../peer/clock.ts';
import { askOnTerminal } from './ask.ts';
import { pathFrom } from './paths.ts';
import type { Shell } from './shell.ts';

test('two questions at once are asked one after the other, and each gets its own answer', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const said: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString();
      for (const name of ['first', 'second'])
        if (text.includes(`${name}? `)) {
          said.push(name);
          setImmediate(() => stdin.write(`${name} answer\n`));
        }
      done();
    },
  });
  const shell = { stdin, stderr, signal: new AbortController().signal, clock: systemClock } as Partial<Shell> as Shell; // the members that asking uses
  expect(await Promise.all([askOnTerminal(shell, 'first? '), askOnTerminal(shell, 'second? ')])).toEqual([
    'first answer',
    'second answer',
  ]);
  expect([...new Set(said)]).toEqual(['first', 'second']);
});

test('a path that begins at home begins at the home of the shell', () => {
  const shell = { cwd: '/projects/shop', home: '/homes/ada' };
  expect(pathFrom(shell, '~/mcp.json')).toBe('/homes/ada/mcp.json');
  expect(pathFrom(shell, 'mcp.json')).toBe('/projects/shop/mcp.json');
});
