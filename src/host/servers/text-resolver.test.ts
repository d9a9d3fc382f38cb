import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { Masks } from '../../model/secrets.ts';
import type { ConfigOrigin } from '../config/source.ts';
import { parseEnvFile } from './env-file.ts';
import { ServerLog } from './server-log.ts';
import { type Lookups, TextResolver } from './text-resolver.ts';

const from: ConfigOrigin = {
  file: '/p/.vscode/mcp.json',
  line: 3,
  name: 'a',
  workspaceFolder: '/p',
  inputs: [
    { id: 'key', description: 'Key', password: true, default: undefined, options: undefined },
    { id: 'region', description: 'Region', password: false, default: 'eu', options: undefined },
  ],
};

function given(lookups: Partial<Lookups> = {}, masks: Masks = new Masks()): TextResolver {
  const all: Lookups = {
    env: { NAME: 'ada', EMPTY: '' },
    userHome: '/home/ada',
    cwd: '/work',
    secrets: undefined,
    inputs: undefined,
    ...lookups,
  };
  return new TextResolver({ label: 'a', from, lookups: all, masks });
}

describe('a text of a definition', () => {
  test.each([
    [`plain \${NAME}`, `plain \${NAME}`],
    [{ template: `\${NAME}-\${env:NAME}` }, 'ada-ada'],
    [{ template: `\${MISSING:-x y}|\${EMPTY:-z}|\${EMPTY}` }, 'x y|z|'],
    [{ template: `\${workspaceFolder}:\${workspaceFolderBasename}:\${userHome}:\${cwd}` }, '/p:p:/home/ada:/work'],
    [{ template: `a\${pathSeparator}b\${/}c` }, join('a', 'b', 'c')],
    [{ template: `\${input:region}` }, 'eu'],
  ])('a text is filled in: %j', async (text, whole) => {
    expect(await given().resolve(text)).toBe(whole);
  });

  test('values of placeholders are not expanded again', async () => {
    const texts = given({ env: { NAME: `\${secret:other}` }, secrets: () => 'hidden' });
    expect(await texts.resolve({ template: `\${NAME}` })).toBe(`\${secret:other}`);
  });

  test('a text is displayed without secrets, and without variables that can hold some', async () => {
    const texts = given({ secrets: () => 'hidden', inputs: () => 'typed' });
    const template = `\${secret:s} \${input:key} \${input:region} \${env:NAME} \${userHome}`;
    expect(await texts.display({ template }, { variables: false })).toBe(
      `\${secret:s} \${input:key} typed \${env:NAME} /home/ada`,
    );
    expect(await texts.display({ template: `\${env:NAME}` }, { variables: true })).toBe('ada');
    const risky = given({ env: { MY_TOKEN: 'hunter2', OPTIONS: '--x --api-key hunter2' } });
    const shown = await risky.display({ template: `\${env:MY_TOKEN} \${env:OPTIONS}` }, { variables: true });
    expect(shown).toBe(`\${env:MY_TOKEN} --x --api-key [masked]`);
    expect(await texts.display({ secret: 's' }, { variables: true })).toBe(`\${secret:s}`);
    expect(await texts.resolve({ template })).toBe('hidden typed typed ada /home/ada');
    expect(await texts.resolve({ secret: 's' })).toBe('hidden');
  });

  test('each input is asked for once, and again after a failure', async () => {
    const asked: string[] = [];
    const texts = given({
      inputs: ({ id }, { server }) => {
        asked.push(`${server} ${id}`);
        if (asked.length === 1) throw new Error('no terminal');
        return 'typed';
      },
    });
    await expect(texts.resolve({ template: `\${input:key}` })).rejects.toThrow('no terminal');
    expect(await texts.resolve({ template: `\${input:key}\${input:key}` })).toBe('typedtyped');
    expect(asked).toEqual(['a key', 'a key']);
  });

  test.each([
    [`\${env:MISSING}`, 'the environment variable MISSING is not set'],
    [`\${env:constructor}`, 'the environment variable constructor is not set'],
    [`\${secret:s}`, 'it needs the secret "s"; give createHost a function "secrets"'],
    [`\${input:key}`, 'it needs a value for the input "key"'],
    [`\${input:other}`, 'unknown input "other"'],
    [`\${command:x}`, `unknown placeholder \${command:x}; known are`],
  ])('a text that cannot be filled in reports the line and the reason: %s', async (template, why) => {
    const filling = given().resolve({ template });
    await expect(filling).rejects.toMatchObject({ code: 'MCP_BAD_CONFIG', details: { line: 3 } });
    await expect(filling).rejects.toThrow(why);
  });

  test('a missing secret throws an error with its name', async () => {
    const texts = given({ secrets: () => undefined as unknown as string }); // what a keychain says of what it does not know
    await expect(texts.resolve({ secret: 's' })).rejects.toThrow('unknown secret "s"');
  });
});

test('an envFile is read in the format of dotenv', () => {
  const text =
    '\ufeff# comment\nA=1\r\nexport B = two words # not this\nC="a\\nb#c" # x\nD=\'$x #y\'\n\nE=\nbroken line\nA=2\nF=a#b';
  expect(Object.fromEntries(parseEnvFile(text))).toEqual({
    A: '2',
    B: 'two words',
    C: 'a\nb#c',
    D: '$x #y',
    E: '',
    F: 'a#b',
  });
});

describe('the log of a server', () => {
  test('the log of a server masks the secrets that it got, and what looks like one', async () => {
    verifies('LOG-19');
    const masks = new Masks();
    const log = new ServerLog(masks);
    const texts = given({ secrets: () => 'correct horse', env: { NAME: 'battery-staple', PORT: '8080' } }, masks);
    await texts.resolve({ template: `\${secret:s}\${NAME}\${PORT}` });
    log.stderr('key=correct ');
    log.stderr('horse and battery-staple on 8080\nBearer abcdefghijkl\n');
    log.write('server', 'token: ghp_abcdefghijklmnop');
    expect(log.lines).toEqual([
      'stderr: key=[masked] and [masked] on 8080',
      'stderr: Bearer [masked]',
      'server: token: [masked]',
    ]);
  });

  test('the log of a server is bounded in lines and characters, and has no control characters', () => {
    const log = new ServerLog(new Masks());
    log.stderr(`${'x'.repeat(3000)}\n\u001b[2Jgone\u202e\n`);
    expect(log.lines[0]).toHaveLength(2001);
    expect(log.lines[1]).toBe('stderr: \\u001b[2Jgone\\u202e');
    for (let i = 0; i < 1000; i++) log.write('host', `line ${i}`);
    expect(log.lines).toHaveLength(500);
    expect(log.lines.at(-1)).toBe('host: line 999');
  });

  test('the log of a server reads the last 500 lines of a message', () => {
    const log = new ServerLog(new Masks());
    const lines: string[] = [];
    log.onLine((line) => lines.push(line));
    log.write('info', Array.from({ length: 200_000 }, (_, i) => `line ${i}`).join('\n'));
    expect(log.lines).toEqual(lines);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, 'info: line 199500', 'info: line 199999']);
  });

  test('the log of a server does not grow with an endless line', () => {
    const log = new ServerLog(new Masks());
    for (let i = 0; i < 100; i++) log.stderr('y'.repeat(1000));
    log.stderr('the end\nnext\nopen');
    expect(log.lines.map((line) => line.slice(0, 12))).toEqual(['stderr: yyyy', 'stderr: next', 'stderr: open']);
  });
});
