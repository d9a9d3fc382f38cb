/** `mooring read` and `mooring prompt` with a server on a socket of this process. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, prompt, resource } from '../../src/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { folder, mooring, mooringProcess, type Ran, type RunOptions } from '../support/command-line.ts';

const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0x00);
const blob = Buffer.from(bytes).toString('base64');

const shop = createServer({
  name: 'shop',
  version: '1',
  parts: [
    resource({ uri: 'shop://notes', mimeType: 'text/plain', read: () => 'tabs\tand \u001b[2J' }),
    resource({ uri: 'shop://logo', mimeType: 'image/png', read: () => bytes }),
    resource({
      uri: 'shop://all',
      read: () => [
        { uri: 'shop://all/a', text: 'first' },
        { uri: 'shop://all/b', text: 'second' },
      ],
    }),
    resource({
      uri: 'shop://mixed',
      read: () => [
        { uri: 'shop://mixed/a.txt', text: 'first' },
        { uri: 'shop://mixed/b', blob, mimeType: 'image/png' },
      ],
    }),
    resource({ uri: 'orders://{id}{?currency}', read: ({ id, currency = 'none' }) => `${id} in ${currency}` }),
    prompt({
      name: 'apology',
      args: z.object({ order: z.string().describe('Its number'), tone: z.string().optional() }),
      render: ({ order, tone = 'plain' }) => [
        { role: 'user', content: { type: 'text', text: `About ${order}: ${tone}` } },
        { role: 'assistant', content: { type: 'image', data: blob, mimeType: 'image/png' } },
      ],
    }),
    prompt({ name: 'hello', render: () => 'Hello' }),
  ],
});

let http: HttpListener;
beforeAll(async () => {
  http = await serveHttp(shop, { port: 0 });
});
afterAll(() => http.close());

const run = (command: 'read' | 'prompt', words: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  mooring([command, http.url, ...words], options);

describe('read', () => {
  test('prints a text as it is, and without what would drive a terminal on one', async () => {
    expect(await run('read', ['shop://notes'])).toMatchObject({ code: 0, stdout: 'tabs\tand \u001b[2J', stderr: '' });
    expect((await run('read', ['shop://notes'], { tty: true })).stdout).toBe('tabs\tand \\u001b[2J\n');
  });

  test('prints several contents under their addresses', async () => {
    const { stdout } = await run('read', ['shop://all']);
    expect(stdout).toBe('==> shop://all/a <==\nfirst\n\n==> shop://all/b <==\nsecond\n');
  });

  test('fills in a template, and leaves out what may be left out', async () => {
    const template = 'orders://{id}{?currency}';
    expect((await run('read', [template, 'id=A 1'])).stdout).toBe('A 1 in none');
    expect((await run('read', [template, 'id=A', 'currency=EUR'])).stdout).toBe('A in EUR');
  });

  test('writes bytes to no terminal, and saves them', async () => {
    await using project = await folder();
    const refused = await run('read', ['shop://logo'], { tty: true });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('--out: required, because shop://logo is image/png, 6 bytes');
    expect(await run('read', ['shop://mixed'])).toMatchObject({ code: 2, stdout: '' });
    const options = { cwd: project.path, tty: true };
    expect(await run('read', ['shop://logo', '--out', 'logo.png'], options)).toMatchObject({ code: 0, stdout: '' });
    expect(new Uint8Array(await readFile(join(project.path, 'logo.png')))).toEqual(bytes);
    const { stdout } = await run('read', ['shop://mixed', '--out', 'all/', '--json'], options);
    expect(JSON.parse(stdout)).toMatchObject({
      contents: [{ text: 'first' }, { blob }],
      saved: [join(project.path, 'all', 'a.txt'), join(project.path, 'all', 'b.png')],
    });
  });

  test.each([
    [[], '<uri>: expected the URI of a resource'],
    [['shop://nots'], /the server has no resource with this URI; did you mean shop:\/\/notes\?/],
    [['shop://notes', 'id=1'], 'id=1: unexpected argument'],
    [['orders://{id}'], 'Missing argument "id": orders://{id} needs a value for it'],
    [['orders://{id}', 'di=1'], 'di: unknown variable of the template'],
    [['orders://{id'], 'not a URI template'],
  ])('refuses %j with what was expected', async (words, message) => {
    const { code, stdout, stderr } = await run('read', words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('sends bytes through a pipe, to the last one', async () => {
    const { code, stdout } = await mooringProcess(['read', http.url, 'shop://notes']);
    expect([code, stdout]).toEqual([0, 'tabs\tand \u001b[2J']);
  });
});

describe('prompt', () => {
  test('prints messages under their roles, and says what cannot be printed', async () => {
    const { code, stdout, stderr } = await run('prompt', ['apology', 'order=A-1', 'tone=sad']);
    expect([code, stdout]).toEqual([0, 'user:\nAbout A-1: sad\n\nassistant:\n']);
    expect(stderr).toContain('image/png, 6 bytes; use --out to save it');
  });

  test('prints the whole result as JSON', async () => {
    const { stdout } = await run('prompt', ['apology', '{"order": 5}', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [{ role: 'user', content: { text: 'About 5: plain' } }, { content: { data: blob } }],
    });
  });

  test.each([
    [[], '<prompt>: expected the name of a prompt'],
    [['apologi'], 'unknown prompt; did you mean apology?'],
    [['apology'], 'Missing argument "order": expected a string (Its number)\n  apology order=<text> [tone=<text>]'],
    [['apology', 'order=1', 'tune=x'], 'tune: unknown argument; did you mean tone?'],
    [['apology', 'order=1', 'order=2'], 'order: given twice'],
    [['apology', 'order:=[]'], 'order:=[]: expected a string'],
    [['hello', 'a=1'], 'a: the prompt takes no arguments'],
  ])('refuses %j with what was expected', async (words, message) => {
    const { code, stdout, stderr } = await run('prompt', words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
