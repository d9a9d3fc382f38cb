import { describe, expect, test } from 'vitest';
import { connect } from '../../connect/connect.ts';
import { revisionIds } from '../../revisions/index.ts';
import { createServer } from '../server.ts';
import { tool } from '../tool.ts';

/** Calls `wait`, cancels it, and returns what was reported to onError when the handler has ended. */
async function reportedOf(revision: string, thrown: (reason: unknown) => unknown): Promise<readonly unknown[]> {
  const reported: unknown[] = [];
  const over = new AbortController();
  let done = (): void => undefined;
  const handled = new Promise<void>((resolve) => {
    done = resolve;
  });
  const wait = tool({
    name: 'wait',
    run: (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(thrown(signal.reason));
          setImmediate(done);
        });
        setImmediate(() => over.abort());
      }),
  });
  const server = createServer({ name: 'dock', version: '1', parts: [wait], onError: (error) => reported.push(error) });
  await using client = await connect(server, { revisions: [revision] });
  await expect(client.call('wait', {}, { signal: over.signal })).rejects.toThrow();
  await handled;
  return reported;
}

describe.each(revisionIds)('a handler that stops because its caller cancelled, in %s', (revision) => {
  test('a handler that stops because its caller cancelled is not reported to onError', async () => {
    expect(await reportedOf(revision, (reason) => reason)).toEqual([]);
    expect(await reportedOf(revision, () => new DOMException('The operation was aborted', 'AbortError'))).toEqual([]);
  });

  test.each<[string, (reason: unknown) => Error]>([
    ['in plain words', () => new Error('cancelled')],
    [
      'in the words of axios',
      () => Object.assign(new Error('stopped'), { name: 'CanceledError', code: 'ERR_CANCELED' }),
    ],
    ['by its code', () => Object.assign(new Error('stopped'), { code: 'ABORT_ERR' })],
    [
      'wrapped in another error',
      (reason) => new Error('fetch failed', { cause: new Error('socket', { cause: reason }) }),
    ],
    ['wrapped, in words', () => new Error('query failed', { cause: new Error('canceling statement') })],
  ])(
    'a handler that throws an abort error %s after its caller cancelled is not reported to onError',
    async (_, thrown) => {
      expect(await reportedOf(revision, thrown)).toEqual([]);
    },
  );

  test('a handler that throws another error after its caller cancelled is reported to onError', async () => {
    const broken = new Error('the database is gone');
    expect(await reportedOf(revision, () => broken)).toEqual([broken]);
    const wrapped = new Error('no answer', { cause: broken });
    expect(await reportedOf(revision, () => wrapped)).toEqual([wrapped]);
  });
});
