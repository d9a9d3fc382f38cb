import { expect, test } from 'vitest';
import { SharedWork } from './shared-work.ts';

interface Begun {
  readonly work: SharedWork<string>;
  readonly calledOff: AbortSignal;
  done(outcome: string): void;
  fail(error: Error): void;
}

function begun(): Begun {
  const { promise, resolve, reject } = deferred();
  let seen: AbortSignal | undefined;
  const work = new SharedWork((signal) => {
    seen = signal;
    return promise;
  });
  if (seen === undefined) throw new Error('it did not begin');
  return { work, calledOff: seen, done: resolve, fail: reject };
}

function deferred(): { promise: Promise<string>; resolve(value: string): void; reject(error: Error): void } {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

test('every waiting caller gets the outcome of shared work', async () => {
  const { work, done } = begun();
  const waiting = [work.wait(new AbortController().signal), work.wait(new AbortController().signal)];
  done('token');
  expect(await Promise.all(waiting)).toEqual(['token', 'token']);
});

test('a caller that cancels is released at once, and the others keep waiting', async () => {
  const { work, calledOff, done } = begun();
  const leaving = new AbortController();
  const left = work.wait(leaving.signal);
  const stays = work.wait(new AbortController().signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  expect(calledOff.aborted).toBe(false);
  done('token');
  expect(await stays).toBe('token');
});

test('shared work is aborted when the last caller cancels, and a later caller does not get that failure', async () => {
  const { work, calledOff, fail } = begun();
  const leaving = new AbortController();
  const left = work.wait(leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  expect(calledOff.reason).toMatchObject({ code: 'MCP_CLOSED' });
  const later = work.join(new AbortController().signal);
  fail(new Error('aborted'));
  expect(await later).toBeUndefined();
});

test('a caller that waits for the end of aborted work can cancel too', async () => {
  const { work } = begun();
  const [leaving, later] = [new AbortController(), new AbortController()];
  const left = work.wait(leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  const joined = work.join(later.signal);
  later.abort(new Error('cancelled'));
  await expect(joined).rejects.toThrow('cancelled');
});

test('a caller that cancels after the end aborts nothing', async () => {
  const { work, calledOff, done } = begun();
  const leaving = new AbortController();
  const waits = work.wait(leaving.signal);
  done('token');
  await waits;
  leaving.abort();
  expect(calledOff.aborted).toBe(false);
});

test('a caller whose signal is aborted already does not keep shared work running', async () => {
  const { work, calledOff } = begun();
  await expect(work.wait(AbortSignal.abort())).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  expect(calledOff.aborted).toBe(true);
});
