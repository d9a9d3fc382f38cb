/** `mooring trace`, `record` and `replay` as real processes between real clients and servers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { parseCassette } from '../../src/recording/recording.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { alive, eventually } from '../support/children.ts';
import { folder, self } from '../support/command-line.ts';

const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  parts: [
    tool({
      name: 'refund',
      async run(_, ctx) {
        ctx.progress(1, 2);
        return (await ctx.confirm('sure', 'Sure?')) ? 'refunded' : 'kept';
      },
    }),
  ],
});

const options = (revision: string) => ({
  revisions: [revision],
  // On a busy machine, a process can start slowly.
  connectTimeoutMs: 60_000,
  probeTimeoutMs: 60_000,
  elicit: () => ({ action: 'accept', content: { confirm: true } }) as const,
});

test.each(['2025-06-18', '2026-07-28'])(
  'over HTTP in %s, everything passes, is shown, and is answered alike from a cassette',
  async (revision) => {
    await using dir = await folder();
    const server = await serveHttp(shop, { port: 0 });
    await using _ = { [Symbol.asyncDispose]: () => server.close() };
    const [lines, tape] = [join(dir.path, 'trace.ndjson'), join(dir.path, 'tape.ndjson')];
    const run = (...args: string[]): object => ({ command: self.command, args: [...self.args, ...args] });
    const calls = async (target: object): Promise<unknown[]> => {
      const progress: number[] = [];
      await using client = await connect(target as Parameters<typeof connect>[0], options(revision));
      const { text } = await client.call('refund', {}, { onProgress: (one) => progress.push(one.progress) });
      return [client.server.info?.name, (await client.list('tools').all()).length, text, progress.length > 0];
    };
    const header = ['--header', 'Authorization: Bearer hunter2-hunter2'];
    expect(await calls(run('trace', server.url, '--json', '--out', lines, ...header))).toEqual([
      'shop',
      1,
      'refunded',
      true,
    ]);
    const text = await readFile(lines, 'utf8');
    const told = text
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            side?: string;
            message?: { method?: string };
            http?: { method: string; status: number };
          },
      );
    expect(told).toContainEqual(
      expect.objectContaining({ side: '>', message: expect.objectContaining({ method: 'tools/call' }) }),
    );
    expect(told).toContainEqual(expect.objectContaining({ side: '<', answers: 'tools/call' }));
    expect(told).toContainEqual(
      expect.objectContaining({ http: expect.objectContaining({ method: 'POST', status: 200 }) }),
    );
    expect(text).not.toContain('hunter2');
    expect(await calls(run('record', server.url, '--out', tape, ...header))).toEqual(['shop', 1, 'refunded', true]);
    expect(await calls(run('replay', tape))).toEqual(['shop', 1, 'refunded', true]);
  },
  120_000,
);

test('Ctrl-C ends the server too, and leaves a cassette that can be read', async () => {
  await using dir = await folder();
  const [program, pid, tape] = [join(dir.path, 'server.mjs'), join(dir.path, 'pid'), join(dir.path, 'tape.ndjson')];
  await writeFile(
    program,
    `import { writeFileSync } from 'node:fs';
     process.stdin.on('data', () => console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })));
     process.on('SIGTERM', () => {});
     writeFileSync(${JSON.stringify(pid)}, String(process.pid));`,
  );
  const child = spawn(self.command, [...self.args, 'record', '--out', tape, '--', process.execPath, program]);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'ping' })}\n`);
  await eventually('an answer', () => said.includes('"mine"'), 30_000);
  expect(existsSync(pid)).toBe(true);
  const server = Number(await readFile(pid, 'utf8'));
  child.kill('SIGINT');
  await once(child, 'exit');
  await eventually('the end of the server', () => !alive(server));
  const { lines } = parseCassette(await readFile(tape, 'utf8'));
  expect(lines).toMatchObject([{ message: { method: 'ping' } }, { message: { id: 'mine', result: {} } }]);
}, 60_000);
