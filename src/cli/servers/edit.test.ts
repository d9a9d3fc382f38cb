import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { systemClock } from '../../peer/clock.ts';
import { planEdit, writeEdit } from './edit.ts';

const change = (command: string) => ({ command }) as const;

async function place(text?: string) {
  const dir = await folder();
  const file = join(dir.path, 'mcp.json');
  if (text !== undefined) await writeFile(file, text);
  return {
    file,
    folder: dir.path,
    names: async () => Object.keys((JSON.parse(await readFile(file, 'utf8')) as { mcpServers: object }).mcpServers),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('an edit of a configuration file', () => {
  test.each([undefined, '', '{"mcpServers":{"old":{"command":"x"}}}'])(
    'keeps every server when several are added at once to %j',
    async (text) => {
      await using at = await place(text);
      const names = Array.from({ length: 6 }, (_, n) => `s${n}`);
      const edits = await Promise.all(names.map((name) => planEdit(at.file, [[name, change(name)]])));
      await Promise.all(edits.map((one) => writeEdit(one, systemClock)));
      expect((await at.names()).filter((name) => name !== 'old').toSorted()).toEqual(names);
      expect(await readdir(at.folder)).toEqual(['mcp.json']);
    },
  );

  test('is not carried out when another process has meanwhile changed the very same server', async () => {
    await using at = await place('{"mcpServers":{"a":{"command":"x"}}}');
    const [first, second] = [
      await planEdit(at.file, [['a', change('y')]]),
      await planEdit(at.file, [['a', change('z')]]),
    ];
    await writeEdit(first, systemClock);
    await expect(writeEdit(second, systemClock)).rejects.toThrow('another process has just changed this server');
    expect(await readFile(at.file, 'utf8')).toContain('"y"');
  });

  test('keeps bytes that are not UTF-8', async () => {
    await using at = await place();
    const [head, odd, tail] = ['{ "note": "caf', Buffer.of(0xe9, 0xff), ' ü",\n  "mcpServers": {}\n}\n'];
    await writeFile(at.file, Buffer.concat([Buffer.from(head), odd, Buffer.from(tail)]));
    await writeEdit(await planEdit(at.file, [['a', change('ünder')]]), systemClock);
    const after = await readFile(at.file);
    expect(after.includes(Buffer.concat([Buffer.from(head), odd, Buffer.from(' ü"')]))).toBe(true);
    expect(after.toString('utf8')).toContain('"command": "ünder"');
  });

  test('goes through a link to a file that is not there yet, and keeps the link', async () => {
    await using at = await place();
    await mkdir(join(at.folder, 'real'));
    await symlink(join('real', 'mcp.json'), at.file);
    await writeEdit(await planEdit(at.file, [['a', change('x')]]), systemClock);
    expect([await readlink(at.file), await at.names()]).toEqual([join('real', 'mcp.json'), ['a']]);
  });

  test.each([
    ['[{ "name": "a" }]', 'found a list'],
    ['"later"', 'found a plain value'],
    ['true', 'found a plain value'],
  ])('does not replace servers that are %s', async (servers, found) => {
    const text = `{\n  "mcpServers": ${servers}\n}\n`;
    await using at = await place(text);
    await expect(planEdit(at.file, [['a', change('x')]])).rejects.toMatchObject({
      code: 'MCP_BAD_CONFIG',
      message: expect.stringContaining(`line 2: expected an object at "mcpServers" and ${found}`),
    });
    expect(await readFile(at.file, 'utf8')).toBe(text);
  });
});
