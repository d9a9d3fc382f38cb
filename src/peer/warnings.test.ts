import { afterEach, expect, test, vi } from 'vitest';
import { Warnings } from './warnings.ts';

afterEach(() => vi.restoreAllMocks());

test('warnings without a listener go to the runtime', () => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  new Warnings(undefined).warn('odd');
  expect(emitted).toHaveBeenCalledWith('odd', 'MooringWarning');
});

test('a warning is said once where once is enough, and a listener that throws breaks nothing', () => {
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
