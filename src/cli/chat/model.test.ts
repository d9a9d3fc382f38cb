import { expect, test } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { modelFrom } from './model.ts';

const named = (env: Readonly<Record<string, string>>, wanted?: string): readonly string[] | undefined =>
  modelFrom({ env, clock: systemClock }, wanted)?.models.map(({ name }) => name);

test('is the one that was named', () => {
  expect(named({ ANTHROPIC_API_KEY: 'a' }, 'anthropic:one')).toEqual(['one']);
  expect(named({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'openai:org/two:latest')).toEqual(['org/two:latest']);
});

test('is named by the environment where the command line says nothing', () => {
  const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', MOORING_MODEL: 'openai:two' };
  expect(named(env)).toEqual(['two']);
  expect(named(env, 'anthropic:one')).toEqual(['one']);
});

test('is refused where its provider is unknown or its key is missing, and the message says where it was named', () => {
  expect(() => named({ MOORING_MODEL: 'unknown:one' })).toThrow('MOORING_MODEL unknown:one: expected anthropic:<name>');
  expect(() => named({}, 'anthropic:one')).toThrow('set the environment variable ANTHROPIC_API_KEY');
});

test('a model on this machine needs no key, and there is none where no variable names one', () => {
  expect(named({ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'openai:llama')).toEqual(['llama']);
  expect(named({ ANTHROPIC_API_KEY: 'a' })).toBeUndefined();
});
