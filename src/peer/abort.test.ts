import { describe, expect, test } from 'vitest';
import { Abort } from './abort.ts';
import { type Link, whenAborted } from './exchange.ts';

describe('Abort', () => {
  test('calls each listener once, with the first reason', () => {
    const abort = new Abort();
    const heard: unknown[] = [];
    abort.onAbort((reason) => heard.push(['a', reason]));
    abort.onAbort((reason) => heard.push(['b', reason]));
    expect(abort.aborted).toBe(false);
    abort.abort('first');
    abort.abort('second');
    expect(abort.aborted).toBe(true);
    expect(heard).toEqual([
      ['a', 'first'],
      ['b', 'first'],
    ]);
  });

  test('a listener added after the abort is called at once', () => {
    const abort = new Abort();
    abort.abort('reason');
    const heard: unknown[] = [];
    abort.onAbort((reason) => heard.push(reason));
    expect(heard).toEqual(['reason']);
  });

  test('the signal is aborted with the same reason, whether it was read before or after', () => {
    const early = new Abort();
    const signal = early.signal;
    expect(signal.aborted).toBe(false);
    expect(early.signal).toBe(signal);
    early.abort('x');
    expect([signal.aborted, signal.reason]).toEqual([true, 'x']);
    const late = new Abort();
    late.abort('y');
    expect([late.signal.aborted, late.signal.reason]).toEqual([true, 'y']);
  });

  test('aborting again from within a listener has no effect', () => {
    const abort = new Abort();
    const heard: unknown[] = [];
    abort.onAbort(() => abort.abort('again'));
    abort.onAbort((reason) => heard.push(reason));
    abort.abort('once');
    expect(heard).toEqual(['once']);
  });
});

describe('whenAborted', () => {
  const plain = (signal: AbortSignal): Link => ({
    signal,
    notify: () => undefined,
    ask: () => Promise.reject(new Error('no')),
  });

  test('reads no signal if the link has onAbort', () => {
    const abort = new Abort();
    const heard: unknown[] = [];
    const link: Pick<Link, 'signal' | 'onAbort'> = {
      get signal(): AbortSignal {
        throw new Error('the signal is not read');
      },
      onAbort: (listener) => abort.onAbort(listener),
    };
    whenAborted(link, (reason) => heard.push(reason));
    abort.abort('x');
    expect(heard).toEqual(['x']);
  });

  test('uses the signal if the link has no onAbort, whether it aborts before or after', () => {
    const heard: unknown[] = [];
    whenAborted(plain(AbortSignal.abort('before')), (reason) => heard.push(reason));
    const controller = new AbortController();
    whenAborted(plain(controller.signal), (reason) => heard.push(reason));
    controller.abort('after');
    expect(heard).toEqual(['before', 'after']);
  });
});
