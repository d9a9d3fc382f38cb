import { expect, test } from 'vitest';
import { installLinks } from './links.ts';

const secret = 'sk-abcdefghijklmnopqrstuv';

test('the web link for VS Code has the name, the questions for secrets, and the configuration', () => {
  const change = { url: 'https://a.example/mcp', headers: { 'X-Api-Key': secret, Accept: 'text/plain' } };
  const [vscode] = installLinks('a (b)', change);
  const query = new URL(vscode?.web ?? '').searchParams;
  expect([...query.keys()]).toEqual(['name', 'inputs', 'config']);
  expect(query.get('name')).toBe('a (b)');
  expect(JSON.parse(query.get('inputs') ?? '')).toEqual([
    { id: 'x-api-key', type: 'promptString', description: 'X-Api-Key', password: true },
  ]);
  expect(JSON.parse(query.get('config') ?? '')).toEqual({
    ...{ type: 'http', url: 'https://a.example/mcp' },
    headers: { 'X-Api-Key': `\${input:x-api-key}`, Accept: 'text/plain' },
  });
});

test('a link for a command without secrets asks nothing, and has its words and variables', () => {
  const [vscode, cursor] = installLinks('a', { command: 'npx', args: ['-y', 'a'], env: { LEVEL: 'debug' } });
  const config = { command: 'npx', args: ['-y', 'a'], env: { LEVEL: 'debug' } };
  expect([...new URL(vscode?.web ?? '').searchParams]).toEqual([
    ['name', 'a'],
    ['config', JSON.stringify(config)],
  ]);
  expect(decodeURIComponent(vscode?.link ?? '')).toBe(`vscode:mcp/install?${JSON.stringify({ name: 'a', ...config })}`);
  const query = new URL(cursor?.web ?? '').searchParams;
  expect(JSON.parse(Buffer.from(query.get('config') ?? '', 'base64').toString())).toEqual(config);
});

test.each([
  { url: `https://a.example/mcp?key=${secret}` },
  { url: 'https://ada@a.example/mcp' },
  { command: 'npx', args: ['a', `postgres://ada:hunter2@db/\${DB}`] },
  { command: 'npx', args: ['a', '/home/ada/notes'] },
  { command: 'npx', args: ['a', 'C:\\notes'] },
])('there is no link for %j', (change) => {
  expect(() => installLinks('a', change)).toThrow(/this looks like a secret|this path is on your machine only/);
});

test.each([{ url: 'https://a.example/mcp?path=/home' }, { command: 'npx', args: ['a', `\${HOME}/notes`, './notes'] }])(
  'there are links for %j',
  (change) => {
    expect(installLinks('a', change)).toHaveLength(2);
  },
);
