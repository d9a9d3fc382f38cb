/** Limits on waiting calls, and what is stored of ended ones. */
import { expect, test } from 'vitest';
import { WaitingScene } from '../../../test/support/waiting-upstream.ts';
import type { WaitingCall, WaitingCallSettings } from './waiting-call.ts';

const MIB = 1024 * 1024;

function admitted(scene: WaitingScene, facts: Partial<WaitingCallSettings> = {}): WaitingCall {
  const call = scene.create({ principal: '', ...facts });
  expect(scene.calls.admit(call)).toBe(true);
  return call;
}

test('an outcome can have 1 MiB, all that are kept 64 MiB, and what is forgotten leaves its room to others', async () => {
  const scene = new WaitingScene();
  const { calls, clock } = scene;
  const [first, ...others] = Array.from({ length: 64 }, () => admitted(scene));
  if (first === undefined) throw new Error('there are 64');
  expect(calls.retain(first, MIB + 1)).toBe(false);
  for (const call of [first, ...others]) expect(calls.retain(call, MIB)).toBe(true);
  const last = admitted(scene);
  expect(calls.retain(last, 1)).toBe(false);
  calls.finish(first, 'done');
  await clock.advance(59_999);
  expect(calls.retain(last, 1)).toBe(false);
  await clock.advance(1);
  expect(calls.retain(last, MIB)).toBe(true);
});

test('the outcome of a call that was cancelled meanwhile takes no room', () => {
  const scene = new WaitingScene({ maxRetainedBytes: 10 });
  const call = admitted(scene);
  scene.calls.finish(call, 'cancelled');
  expect(scene.calls.retain(call, 10)).toBe(true);
  expect(scene.calls.retain(admitted(scene), 10)).toBe(true);
});

test('1,000 calls can wait, and 8 of one verified caller', () => {
  const scene = new WaitingScene();
  for (let at = 0; at < 8; at++) admitted(scene, { principal: 'ada' });
  expect(scene.calls.admit(scene.create({ principal: 'ada' }))).toBe(false);
  for (let at = 8; at < 1_000; at++) admitted(scene, { maxWaitingCalls: 2_000 });
  expect(scene.calls.admit(scene.create({ principal: '', maxWaitingCalls: 2_000 }))).toBe(false);
});

test('a node that drains leaves calls their time, and ends as soon as none waits', async () => {
  const scene = new WaitingScene();
  const [one, other] = [admitted(scene), admitted(scene)];
  let isDrained = false;
  const drained = scene.calls.drain(1_000).then(() => {
    isDrained = true;
  });
  scene.calls.finish(one, 'done');
  await scene.clock.advance(999);
  expect([isDrained, scene.ends]).toEqual([false, ['done']]);
  scene.calls.finish(other, 'done');
  await drained;
  expect(scene.ends).toEqual(['done', 'done']);
});

const why = (scene: WaitingScene, { id }: Pick<WaitingCall, 'id'>): string => {
  try {
    scene.calls.find(id);
    return 'found';
  } catch (error) {
    return String(error).replace(/.*: /, '');
  }
};

test('that the time for an answer expired is remembered for ten minutes', async () => {
  const scene = new WaitingScene();
  const call = admitted(scene);
  scene.calls.finish(call, 'expired');
  await scene.clock.advance(599_999);
  scene.calls.finish(admitted(scene), 'cancelled');
  expect(why(scene, call)).toBe('the time for an answer has expired');
  await scene.clock.advance(1);
  scene.calls.finish(admitted(scene), 'cancelled');
  expect(why(scene, call)).toBe('the call has ended');
});

test('100,000 calls that are over are remembered, and the oldest is forgotten first', () => {
  const scene = new WaitingScene();
  const call = admitted(scene);
  scene.calls.finish(call, 'expired');
  const finish = (id: string): void => scene.calls.finish({ id, retainedBytes: 0 } as WaitingCall, 'cancelled'); // the members that it reads
  for (let at = 1; at < 100_000; at++) finish(`other ${at}`);
  expect(why(scene, call)).toBe('the time for an answer has expired');
  finish('one more');
  expect(why(scene, call)).toBe('the call has ended');
});
