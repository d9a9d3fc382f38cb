import { afterEach, expect, test, vi } from 'vitest';
import { nextTurn } from './runtime.ts';
import { Warnings } from './warnings.ts';

afterEach(() => vi.restoreAllMocks());

test('warnings without a listener go to the runtime', () => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  new Warnings(undefined).warn('odd');
  expect(emitted).toHaveBeenCalledWith('odd', 'MooringWarning');
});

test('once reports a repeated warning one time, and a listener that throws has no effect', () => {
  const said: string[] = [];
  const warnings = new Warnings((warning) => {
    said.push(warning);
    throw new Error('no');
  });
  warnings.once('a');
  warnings.once('a');
  warnings.warn('b');
  expect(said).toEqual(['a', 'b']);
});

test('warnings that the peer causes are limited in number and length, and have control characters escaped', () => {
  const said: string[] = [];
  const warnings = new Warnings((warning) => said.push(warning));
  warnings.warn(`Tool "\u001b[31mred\u001b]0;title\u0007" is left out,\n${'x'.repeat(100_000)}`);
  expect(said[0]).toMatch(/^Tool "\\u001b\[31mred\\u001b\]0;title\\u0007" is left out,\n {2}x+$/);
  expect(said[0]?.length).toBeLessThan(10_100);
  for (let method = 0; method < 100_000; method++) warnings.once(`The server sent ${method}`);
  expect(said).toHaveLength(1_001);
});

test('a callback of the application that throws or rejects causes a warning, and does not end the process', async () => {
  const said: string[] = [];
  const onWarning = async (warning: string): Promise<unknown> => {
    said.push(warning);
    throw new Error('the listener fails too');
  };
  const warnings = new Warnings((warning): unknown => onWarning(warning));
  warnings.guard('onProgress', () => {
    throw new Error('now');
  });
  warnings.guard('onProgress', async () => {
    throw new Error('later');
  });
  await nextTurn();
  expect(said).toEqual(['onProgress threw Error: now', 'onProgress threw Error: later']);
});
