/** `mooring watch`: changes of a server on a socket, of a process that crashes and restarts, and of a server without notifications. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createServer, resource, type Server, tool } from '../../src/index.ts';
import { revisionIds } from '../../src/revisions/index.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { alive, eventually } from '../support/children.ts';
import { folder, mooring, type Ran } from '../support/command-line.ts';

const shopOf = (): Server =>
  createServer({
    name: 'shop',
    version: '1',
    parts: [tool({ name: 'count', run: () => '1' }), resource({ uri: 'shop://notes', read: () => 'x' })],
  });
const another = tool({ name: 'another', run: () => '2' });

/** Runs it, calls a function when it watches, and sends Ctrl-C when enough is printed. */
async function watching(
  words: readonly string[],
  { act, enough }: { act(): void; enough(out: string): boolean },
): Promise<Ran> {
  const over = new AbortController();
  let out = '';
  return mooring(['watch', ...words], {
    signal: over.signal,
    onStderr: (text) => {
      if (text.startsWith('Watching')) act();
    },
    onStdout: (text) => {
      out += text;
      if (enough(out)) over.abort();
    },
  });
}

const eventsIn = (text: string): readonly string[] =>
  lines(text).map((line) => (JSON.parse(line) as { event: string }).event);
const lines = (text: string): readonly string[] => text.trimEnd().split('\n');

describe('watch', () => {
  test.each(revisionIds)('tells a line for each event until Ctrl-C (%s)', async (revision) => {
    const shop = shopOf();
    const http = await serveHttp(shop, { port: 0 });
    const watched = await Promise.all([
      watching([http.url, '--json', '--revision', revision], {
        act: () => shop.add(another),
        enough: (out) => lines(out).length >= 1,
      }),
      watching([http.url, 'shop://notes', '--json', '--revision', revision], {
        act: () => shop.updated('shop://notes'),
        enough: (out) => lines(out).length >= 1,
      }),
    ]);
    await http.close();
    expect(watched.map(({ code }) => code)).toEqual([130, 130]);
    expect(watched[0]?.stderr).toContain('Watching tools, ');
    expect(watched[1]?.stderr).toContain('Watching shop://notes (press Ctrl-C to stop)');
    const events = watched.map(({ stdout }) => JSON.parse(stdout) as { at: string });
    expect(events.map(({ at, ...event }) => event)).toEqual([
      { event: 'changed', kind: 'tools', added: ['another'], removed: [], changed: [] },
      { event: 'changed', kind: 'resource', uri: 'shop://notes' },
    ]);
    expect(events.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true);
  });

  test('names what was added to a list', async () => {
    const shop = shopOf();
    const http = await serveHttp(shop, { port: 0 });
    const { stdout } = await watching([http.url], { act: () => shop.add(another), enough: (out) => out !== '' });
    await http.close();
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}tools changed: \+another\n$/);
  });

  test('refuses what is no URI, and a server that tells nothing of what was named', async () => {
    const http = await serveHttp(createServer({ name: 'bare', version: '1', parts: [another] }), { port: 0 });
    expect(await mooring(['watch', http.url, 'notes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('notes: expected the URI of a resource'),
    });
    expect(await mooring(['watch', http.url, 'shop://notes'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('does not offer notifications of the changes you named'),
    });
    await http.close();
  });

  test('says that a stream broke off and is there again', async () => {
    const http = createHttpServer(nodeHandler(shopOf()));
    await new Promise<void>((listens) => http.listen(0, '127.0.0.1', listens));
    const { port } = http.address() as AddressInfo; // it listens on a port
    const { code, stdout } = await watching([`http://127.0.0.1:${port}/`, '--json'], {
      act: () => http.closeAllConnections(),
      enough: (out) => lines(out).length >= 3,
    });
    http.closeAllConnections();
    await new Promise((closed) => http.close(closed));
    expect(code).toBe(130);
    expect(eventsIn(stdout).slice(0, 3)).toEqual(['lost', 'connected', 'changed']);
  });

  test('goes on when a server that ended in good order is there again', async () => {
    const first = await serveHttp(shopOf(), { port: 0 });
    const port = Number(new URL(first.url).port);
    let second: Awaited<ReturnType<typeof serveHttp>> | undefined;
    const restart = async (): Promise<void> => {
      await first.close();
      second = await serveHttp(shopOf(), { port });
    };
    const { code, stdout } = await watching([first.url, '--json'], {
      act: () => void restart(),
      enough: (out) => eventsIn(out).includes('changed'),
    });
    await second?.close();
    expect(code).toBe(130);
    expect(eventsIn(stdout).at(-1)).toBe('changed');
  });

  test('says that the connection was lost and is there again, and leaves no process behind', async () => {
    await using project = await folder();
    const pidFile = join(project.path, 'pid');
    const server = join(project.path, 'server.mts');
    await writeFile(
      server,
      [
        `import { writeFileSync } from 'node:fs';`,
        `import { createServer, tool } from ${JSON.stringify(resolve('src/index.ts'))};`,
        `import { serveStdio } from ${JSON.stringify(resolve('src/transport/stdio.ts'))};`,
        `writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`,
        `await serveStdio(createServer({ name: 's', version: '1', parts: [tool({ name: 't', run: () => '' })] }));`,
      ].join('\n'),
    );
    const pid = async (): Promise<number> => Number(await readFile(pidFile, 'utf8'));
    const command = ['--', process.execPath, '--import', resolve('node_modules/tsx/dist/esm/index.mjs'), server];
    const { code, stdout, stderr } = await watching(['--json', '--timeout', '60', ...command], {
      act: () => void pid().then((one) => process.kill(one, 'SIGKILL')),
      enough: (out) => lines(out).length >= 3,
    });
    // In most runs the signal, and on a busy machine at times that its output was closed.
    const lost = 'The connection was lost; connecting again\n  The server process ended (';
    expect([code, stderr]).toEqual([130, expect.stringContaining(lost)]);
    expect(eventsIn(stdout).slice(0, 3)).toEqual(['lost', 'connected', 'changed']);
    const last = await pid();
    await eventually('the server has ended', () => !alive(last));
  });
});
