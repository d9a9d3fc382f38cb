import { expect, test } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { modelFrom, usualModels } from './model.ts';

const named = (env: Readonly<Record<string, string>>, wanted?: string): readonly string[] | undefined =>
  modelFrom({ env, clock: systemClock }, wanted)?.models.map(({ name }) => name);

test('is the one that was named', () => {
  expect(named({ ANTHROPIC_API_KEY: 'a' }, 'anthropic:one')).toEqual(['one']);
  expect(named({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'openai:org/two:latest')).toEqual(['org/two:latest']);
});

test('is a usual one of whoever there is a key for', () => {
  const [anthropic = '', openai = ''] = usualModels.split(' or ').map((one) => one.split(':')[1] ?? '');
  expect(named({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' })).toEqual([anthropic]);
  expect(named({ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: 'o' })).toEqual([openai]);
  expect(anthropic).not.toBe(openai);
});

test('needs no key on this machine, and is none where nothing is configured', () => {
  expect(named({ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'openai:llama')).toEqual(['llama']);
  expect(named({})).toBeUndefined();
});
