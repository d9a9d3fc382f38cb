import { expect, test } from 'vitest';
import { credentialScheme, isSecret, maskWords, respelled, variableFor } from './known-applications.ts';

const refer = (name: string, otherwise?: string): string =>
  `<${name}${otherwise === undefined ? '' : `|${otherwise}`}>`;

test.each([
  [`\${env:token}-\${TOKEN:-none}`, '<token>-<TOKEN|none>'],
  [
    `\${workspaceFolder} \${env:} \${lower} \${9A} \${input:key}`,
    `\${workspaceFolder} \${env:} \${lower} \${9A} \${input:key}`,
  ],
])('only references to variables are respelled: %s', (template, expected) => {
  expect(respelled(template, refer)).toBe(expected);
});

test('the variable of a name has underscores for all other characters', () => {
  expect(variableFor('my-api.key 2')).toBe('MY_API_KEY_2');
});

test.each([
  ['Bearer x', 'Bearer '],
  ['basic  x', 'basic  '],
  ['Bearerx', ''],
  ['x Token y', ''],
])('a scheme ends with a space, and begins the credential: %s', (value, scheme) => {
  expect(credentialScheme(value)).toBe(scheme);
});

test('references, and the user and group of a container, are no secrets of a command line', () => {
  const words = ['--token', `\${TOKEN}`, '-u', '1000:1000', '-u', 'ada:hunter2', '--password', 'hunter2', 'hunter2'];
  expect(maskWords(words)).toEqual([...words.slice(0, 5), '[masked]', '--password', '[masked]', 'hunter2']);
});

test.each(['ada:1', '1000:hunter2', '1000:1000x'])(
  'what is no number of a user and group is a secret after -u: %s',
  (value) => {
    expect(maskWords(['-u', value])).toEqual(['-u', '[masked]']);
  },
);

test.each([
  `postgres://\${USER}:\${PASSWORD}@db/\${DB}`,
  `Authorization: Bearer \${TOKEN}`,
  `--token=\${TOKEN}`,
  `prefix-\${TOKEN}`,
])('a text whose secrets are references has none: %s', (text) => {
  expect(maskWords(['--header', text])).toEqual(['--header', text]);
  expect(isSecret('Authorization', text)).toBe(false);
});

test.each([
  `postgres://ada:hunter2@db/\${DB}`,
  `https://\${USER}:hunter2@\${HOST}`,
  `--url=https://a.example?token=hunter2&user=\${USER}`,
  `sk-abcdefghijklmnopqrstuv \${NOTE}`,
  `Authorization: Bearer hunter2hunter2 \${NOTE}`,
])('a secret beside a reference is one: %s', (text) => {
  const [masked = ''] = maskWords([text]);
  expect(masked).toContain('[masked]');
  expect(masked).toMatch(/\$\{\w+\}/);
  expect(masked).not.toMatch(/hunter2|sk-abc/);
  expect(isSecret('NOTE', text)).toBe(true);
});

test.each([`\${}`, `\${{x}}`])('what refers to no variable is a secret after --token: %s', (value) => {
  expect(maskWords(['--token', value])).toEqual(['--token', '[masked]']);
});

test('a value with a secret anywhere in it is one', () => {
  expect(isSecret('NOTE', 'see ghp_abcdefghijklmnopqrstuvwxyz0123456789')).toBe(true);
  expect(isSecret('NOTE', 'see above')).toBe(false);
});
