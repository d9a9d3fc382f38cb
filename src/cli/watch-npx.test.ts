import { expect, test } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.ts';
import { watchNpx } from './watch-npx.ts';

const npx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'mooring'" };

function watched(env: Readonly<Record<string, string>>) {
  const clock = virtualClock();
  const own = { env, ppid: 100 };
  let ended = 0;
  const stop = watchNpx(own, clock, () => {
    ended++;
  });
  return { clock, own, stop, ended: () => ended };
}

test('a process that npx started notices once that npx has ended', async () => {
  const { clock, own, ended } = watched(npx);
  await clock.advance(10_000);
  expect(ended()).toBe(0);
  own.ppid = 1;
  await clock.advance(10_000);
  expect(ended()).toBe(1);
});

test.each([
  ['by a shell, nohup, systemd or docker', {}],
  ['by a script of package.json', { npm_lifecycle_event: 'start', npm_lifecycle_script: 'mooring gateway' }],
  ['by another program that npx started', { ...npx, npm_lifecycle_script: "'pm2'" }],
  ['by a line of npx -c, which can start it in the background', { ...npx, npm_lifecycle_script: 'mooring gateway &' }],
])('a process that was started %s outlives its parent', async (_, env) => {
  const { clock, own, ended } = watched(env);
  own.ppid = 1;
  await clock.advance(10_000);
  expect(ended()).toBe(0);
});

test('nothing is noticed after the watch was stopped', async () => {
  const { clock, own, stop, ended } = watched(npx);
  await clock.advance(10_000);
  stop();
  own.ppid = 1;
  await clock.advance(10_000);
  expect(ended()).toBe(0);
});
