import { expect, test } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { modelFrom } from './model.ts';

const named = (env: Readonly<Record<string, string>>, wanted?: string): readonly string[] | undefined =>
  modelFrom({ env, clock: systemClock }, wanted)?.models.map(({ name }) => name);

test('the model of a chat is the one that --model names', () => {
  expect(named({ ANTHROPIC_API_KEY: 'a' }, 'anthropic:one')).toEqual(['one']);
  expect(named({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'openai:org/two:latest')).toEqual(['org/two:latest']);
});

test('without --model, MOORING_MODEL names the model of a chat', () => {
  const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', MOORING_MODEL: 'openai:two' };
  expect(named(env)).toEqual(['two']);
  expect(named(env, 'anthropic:one')).toEqual(['one']);
});

test('a model with an unknown provider or without a key is rejected, and the error names the option or variable', () => {
  expect(() => named({ MOORING_MODEL: 'unknown:one' })).toThrow('MOORING_MODEL unknown:one: expected anthropic:<name>');
  expect(() => named({ OPENAI_BASE_URL: '' }, 'openai:one')).toThrow('set the environment variable OPENAI_API_KEY');
  expect(() => named({}, 'anthropic:one')).toThrow('set the environment variable ANTHROPIC_API_KEY');
});

test('a local model needs no key, and without --model and MOORING_MODEL a chat has no model', () => {
  expect(named({ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'openai:llama')).toEqual(['llama']);
  expect(named({ ANTHROPIC_API_KEY: 'a' })).toBeUndefined();
});
