import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onAbort } from './wait.ts';

const listeningTo = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('onAbort', () => {
  test('adds one event listener to a signal, however many listeners it has', () => {
    const { signal } = new AbortController();
    const stops = Array.from({ length: 20 }, () => onAbort(signal, () => undefined));
    expect(listeningTo(signal)).toBe(1);
    for (const stop of stops.slice(1)) stop();
    expect(listeningTo(signal)).toBe(1);
    stops[0]?.();
    expect(listeningTo(signal)).toBe(0);
  });

  test('calls every listener that was not removed, once and in order', () => {
    const control = new AbortController();
    const called: string[] = [];
    const stops = ['a', 'b', 'c'].map((name) => onAbort(control.signal, () => called.push(name)));
    stops[1]?.();
    control.abort();
    for (const stop of stops) stop();
    expect(called).toEqual(['a', 'c']);
  });

  test('listens again after the last listener was removed', () => {
    const control = new AbortController();
    const called: string[] = [];
    onAbort(control.signal, () => called.push('removed'))();
    onAbort(control.signal, () => called.push('added later'));
    control.abort();
    expect(called).toEqual(['added later']);
  });

  test('calls a listener of an aborted signal at once', () => {
    let calls = 0;
    onAbort(AbortSignal.abort(), () => calls++);
    expect(calls).toBe(1);
  });

  test('a listener can remove another one while the signal aborts', () => {
    const control = new AbortController();
    const called: string[] = [];
    let stop: () => void = () => undefined;
    onAbort(control.signal, () => stop());
    stop = onAbort(control.signal, () => called.push('removed'));
    control.abort();
    expect(called).toEqual([]);
  });
});
