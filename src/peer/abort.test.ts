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

  test('a listener that comes too late is called at once', () => {
    const abort = new Abort();
    abort.abort('reason');
    const heard: unknown[] = [];
    abort.onAbort((reason) => heard.push(reason));
    expect(heard).toEqual(['reason']);
  });

  test('the signal agrees, whether it was looked at before or after', () => {
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

  test('aborting from within a listener changes nothing', () => {
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

  test('asks for no signal where the link calls back', () => {
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

  test('does with the signal alone, aborted before or after', () => {
    const heard: unknown[] = [];
    whenAborted(plain(AbortSignal.abort('before')), (reason) => heard.push(reason));
    const controller = new AbortController();
    whenAborted(plain(controller.signal), (reason) => heard.push(reason));
    controller.abort('after');
    expect(heard).toEqual(['before', 'after']);
  });
});
