/** Our host with three published reference servers, from one configuration file. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsentQuestion, createHost, fromConfig, type Host, rules } from '../../src/host/index.ts';

const program = (name: string): string =>
  new URL(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url).pathname;

let folder: string;
let host: Host;
const asked: ConsentQuestion[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-host-'));
  await writeFile(join(folder, 'notes.txt'), 'buy milk');
  const entry = (name: string, more: object): object => ({ command: process.execPath, args: [program(name)], ...more });
  const mcpServers = {
    everything: entry('everything', {}),
    files: entry('filesystem', { args: [program('filesystem'), `\${workspaceFolder}`] }),
    memory: entry('memory', { env: { MEMORY_FILE_PATH: `\${workspaceFolder}/memory.jsonl` } }),
  };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  host = createHost({
    servers: await fromConfig(join(folder, '.mcp.json')),
    policy: [
      rules.ask({ kind: 'spawn' }),
      rules.trustAnnotationsOf('files', 'everything', 'memory'),
      rules.deny({ server: 'files', name: /^write_|^edit_/ }),
      rules.allow({ effects: 'read' }),
      rules.allow({ server: 'memory' }),
      rules.allow({ server: 'everything' }),
    ],
    consent: (question) => {
      asked.push(question);
      return { allow: true };
    },
  });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

test('three reference servers are used side by side, under one policy', async () => {
  await using session = host.session({ principal: 'ada' });
  const path = join(folder, 'notes.txt');
  const [echo, notes, made] = await Promise.all([
    session.call('everything.echo', { message: 'ahoy' }),
    session.call('files.read_text_file', { path }),
    session.call('memory.create_entities', {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['likes ships'] }],
    }),
  ]);
  expect(echo.text).toContain('ahoy');
  expect(notes.text).toContain('buy milk');
  expect(made.isError).toBe(false);
  expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('likes ships');
  expect(asked.map(({ act }) => `${act.kind} ${act.server}`).toSorted()).toEqual([
    'spawn everything',
    'spawn files',
    'spawn memory',
  ]);
  expect(asked.every(({ act }) => act.name.startsWith(process.execPath))).toBe(true);
});

test('what a rule denies does not happen, and a tool that failed has answered', async () => {
  await using session = host.session({ principal: 'ada' });
  const path = join(folder, 'evil.txt');
  await expect(session.call('files.write_file', { path, content: 'x' })).rejects.toMatchObject({ code: 'MCP_DENIED' });
  await expect(readFile(path)).rejects.toThrow('ENOENT');
  expect(await session.call('files.read_text_file', { path: '/etc/hostname' })).toMatchObject({ isError: true });
});

test('resources and prompts are read like tools are called', async () => {
  await using session = host.session();
  const { messages } = await session.prompt('everything.args-prompt', { city: 'Kiel' });
  expect(JSON.stringify(messages)).toContain('Kiel');
  const uri = 'demo://resource/dynamic/text/1';
  expect((await session.read('everything', uri)).text).toContain('Resource 1');
});
