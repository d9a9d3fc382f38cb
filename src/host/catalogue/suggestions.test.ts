import { expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { Suggestions, type TypedText } from './suggestions.ts';

const typed = (value: string, more: Partial<TypedText> = {}): TypedText => ({
  server: 'shop',
  ref: { type: 'ref/prompt', name: 'order' },
  argument: { name: 'id', value },
  context: undefined,
  ...more,
});

class Field {
  readonly clock: HeldClock = new HeldClock();
  readonly sent: string[] = [];
  readonly suggestions: Suggestions = new Suggestions(this.clock);
  /** Answered when the test resolves it. */
  answer: () => void = () => undefined;

  type(value: string, more: Partial<TypedText> = {}): Promise<readonly string[]> {
    const asked = typed(value, more);
    const asking = this.suggestions.ask(asked, undefined, async (signal) => {
      this.sent.push(value);
      await new Promise<void>((resolve, reject) => {
        this.answer = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
      return { values: [`${value}…`] };
    });
    return asking.then(({ values }) => values);
  }
}

test('fast typing requests completions for the first and the last text only', async () => {
  verifies('COMP-10');
  const field = new Field();
  const first = field.type('A').catch((error: unknown) => error);
  await settled();
  const second = field.type('A-').catch((error: unknown) => error);
  const third = field.type('A-1');
  await field.clock.pass(149);
  expect(field.sent).toEqual(['A']);
  await field.clock.pass(300);
  expect(field.sent).toEqual(['A', 'A-1']);
  field.answer();
  expect(await third).toEqual(['A-1…']);
  expect(String(await first)).toContain('the user typed on');
  expect(String(await second)).toContain('the user typed on');
});

test('fast typing sends a request every 150 milliseconds, however long it lasts', async () => {
  verifies('COMP-10');
  const field = new Field();
  for (let keys = 1; keys <= 20; keys++) {
    field.type('A'.repeat(keys)).catch(() => undefined);
    await field.clock.pass(50);
  }
  expect(field.sent.map(({ length }) => length)).toEqual([1, 3, 6, 9, 12, 15, 18]);
  await field.clock.pass(150);
  expect(field.sent.at(-1)).toHaveLength(20);
});

test('slow typing, or typing in another field, does not delay a request', async () => {
  verifies('COMP-10');
  const field = new Field();
  void field.type('A');
  await settled();
  field.answer();
  await field.clock.pass(150);
  void field.type('B');
  void field.type('C', { argument: { name: 'other', value: 'C' } });
  await settled();
  expect(field.sent).toEqual(['A', 'B', 'C']);
});

test('a completion is cached for a while, per text and context', async () => {
  verifies('COMP-11');
  const field = new Field();
  const ask = async (value: string, more: Partial<TypedText> = {}): Promise<readonly string[]> => {
    const asking = field.type(value, more);
    await field.clock.pass(200);
    field.answer();
    return asking;
  };
  expect(await ask('A')).toEqual(['A…']);
  expect(await ask('A')).toEqual(['A…']);
  expect(field.sent).toEqual(['A']);
  await ask('A', { context: { arguments: { shop: '7' } } });
  await ask('A', { server: 'other' });
  await field.clock.pass(30_000);
  await ask('A');
  expect(field.sent).toEqual(['A', 'A', 'A', 'A']);
});

test('a failed completion is not cached', async () => {
  verifies('COMP-11');
  const clock = new HeldClock();
  const suggestions = new Suggestions(clock);
  const failing = suggestions.ask(typed('A'), undefined, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await clock.pass(150);
  expect(await suggestions.ask(typed('A'), undefined, async () => ({ values: ['B'] }))).toEqual({ values: ['B'] });
});
