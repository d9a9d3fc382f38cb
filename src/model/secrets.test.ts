import { expect, test } from 'vitest';
import { MASK, Masks, maskSecretsIn } from './secrets.ts';

const inMessage = { text: (text: string) => text, whole: false };
const inRecord = { text: (text: string) => text, whole: true };

test('in a message, values under a telling name are masked, and what says where a secret is stays', () => {
  const message = {
    password: 'hunter2',
    pin: 1234,
    tokens: 'seen',
    auth: ['a', 'b'],
    apiKey: `\${API_KEY}`,
    code: -32602,
  };
  expect(maskSecretsIn(message, inMessage)).toEqual({
    ...{ password: MASK, pin: MASK, tokens: 'seen', auth: [MASK, MASK], apiKey: `\${API_KEY}`, code: -32602 },
  });
  const schema = { properties: { password: { type: 'string', description: 'Yours' } } };
  expect(maskSecretsIn(schema, inMessage)).toEqual(schema);
  expect(maskSecretsIn({ auth: { password: 'x' }, secret: { deep: { token: 'y' } } }, inMessage)).toEqual({
    ...{ auth: { password: MASK }, secret: { deep: { token: MASK } } },
  });
});

test('nothing under a telling name is nothing, and a value without a label is a value', () => {
  for (const options of [inMessage, inRecord]) {
    const plain = { password: '', token: null, value: 'x', rows: [{ value: 'y' }, { name: 7, value: 'z' }] };
    expect(maskSecretsIn(plain, options)).toEqual(plain);
  }
});

test('in a record, an environment is shown by its names, and what is only called like one is shown', () => {
  expect(maskSecretsIn({ env: { HOME: '/a' } }, inRecord)).toEqual({ env: { HOME: MASK } });
  for (const env of ['production', ['a'], null, 7]) expect(maskSecretsIn({ env }, inRecord)).toEqual({ env });
});

test('only a word announces a secret, and only a word is announced', () => {
  const words = ['--token', 'x', '-u', 'ada:x', '-u', 'ada'];
  expect(maskSecretsIn(words, inMessage)).toEqual(['--token', MASK, '-u', MASK, '-u', 'ada']);
  expect(maskSecretsIn(['Authorization', 'x'], inMessage)).toEqual(['Authorization', MASK]);
  for (const list of [
    ['first', 'second'],
    ['Authorization', 'seen', 'Cookie'],
    ['--token', '--verbose', '--name', 'seen'],
    [['--token'], 'seen'],
    [['Authorization'], 'seen'],
    ['--token', { deep: 'seen' }],
    ['-u', null],
    ['Authorization', ['seen']],
  ])
    expect(maskSecretsIn(list, inMessage)).toEqual(list);
});

test('what is nested deeper than 32 levels is masked whole, in objects and in lists', () => {
  const nest = (levels: number, around: (inner: unknown) => unknown): unknown =>
    Array.from({ length: levels }).reduce(around, { end: 'seen' });
  for (const around of [(inner: unknown) => ({ inner }), (inner: unknown) => [inner]]) {
    expect(JSON.stringify(maskSecretsIn(nest(32, around), inMessage))).toContain('"end":"seen"');
    expect(JSON.stringify(maskSecretsIn(nest(33, around), inMessage))).toContain(`"${MASK}"`);
    expect(JSON.stringify(maskSecretsIn(nest(33, around), inMessage))).not.toContain('end');
  }
});

function masked(secrets: readonly string[], text: string): string {
  const masks = new Masks();
  for (const secret of secrets) masks.add(secret);
  return masks.mask(text);
}

test('a known secret is masked wherever it stands', () => {
  expect(masked(['hunter2'], 'hunter2, "hunter2" and xhunter2x')).toBe('[masked], "[masked]" and x[masked]x');
});

test('of secrets that contain one another, nothing of the longer one is left', () => {
  for (const secrets of [
    ['hunter', 'hunter2-and-more'],
    ['hunter2-and-more', 'hunter'],
  ])
    expect(masked(secrets, 'hunter2-and-more or hunter')).toBe('[masked] or [masked]');
});

test('each line of a secret is one, from six characters on', () => {
  expect(masked(['  first-line\r\nsecond-line\nshort\nsix-ok'], 'first-line second-line short six-ok')).toBe(
    '[masked] [masked] short [masked]',
  );
});
