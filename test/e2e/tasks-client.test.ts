/** Tasks from the caller's side, with real processes: a client that is killed, and the command line. */
import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { TaskTicket } from '../../src/client/index.ts';
import { connect } from '../../src/connect/index.ts';
import { eventually } from '../support/children.ts';
import { folder, mooring } from '../support/command-line.ts';
import { TaskHttpServer } from '../support/task-http-server.ts';
import { verifies } from '../support/verifies.ts';

const sourceOf = (file: string): string => JSON.stringify(pathToFileURL(resolve('src', file)).href);
const tsx = pathToFileURL(resolve('node_modules/tsx/dist/esm/index.mjs')).href;

/** Starts a task, prints its ticket, and never answers questions. */
const deaf = (url: string): string => `
  import { connect } from ${sourceOf('connect/index.ts')};
  const elicit = () => { console.log('asked'); return new Promise(() => undefined); };
  const client = await connect(${JSON.stringify(url)}, { tasks: true, elicit });
  const task = await client.start('render');
  console.log(JSON.stringify(task.ticket));
  await task.result();
`;

describe('a client with a task', () => {
  test('that is killed while a question is open is followed by one that answers it, once', async () => {
    verifies('TASK-76', 'TASK-86', 'TASK-102');
    await using server = await new TaskHttpServer().listen();
    server.isAsking = true;
    const child = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', deaf(server.url)]);
    let printed = '';
    child.stdout.on('data', (text: Buffer) => {
      printed += String(text);
    });
    await eventually('the question', () => printed.includes('asked'), 60_000);
    const ended = new Promise((closed) => child.once('close', closed));
    child.kill('SIGKILL');
    await ended;
    const ticket = JSON.parse(printed.split('\n')[0] ?? '') as TaskTicket; // the client printed it
    let asked = 0;
    await using client = await connect(server.url, {
      tasks: true,
      elicit: () => {
        asked++;
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    const task = await client.attach(ticket);
    expect((await task.result()).text).toBe('rendered');
    expect(asked).toBe(1);
    expect(server.updates).toEqual([{ name: { action: 'accept', content: { name: 'Ada' } } }]);
    const names = new Set(server.names.filter((name) => name.startsWith('tasks/')));
    expect([...names].sort()).toEqual(['tasks/get task-1', 'tasks/update task-1']);
    await using other = await connect(server.url.replace('/mcp', '/other'), { tasks: true });
    await expect(other.attach(ticket)).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
  });
});

describe('the command line', () => {
  test('begins a task, lists it, shows it, waits for it with an answer, and forgets it', async () => {
    await using server = await new TaskHttpServer().listen();
    await using project = await folder();
    const { path: home } = project;
    const run = (...args: string[]): ReturnType<typeof mooring> => mooring(args, { home });
    const begun = await run('call', server.url, 'render', '--detach', '--json');
    expect(begun.code).toBe(0);
    const ticket = JSON.parse(begun.stdout) as { readonly id: string; readonly ticket: TaskTicket }; // the documented format
    expect(ticket.ticket).toMatchObject({ v: 1, server: server.url, taskId: 'task-1', tool: 'render' });
    const kept = join(home, '.local', 'state', 'mooring', 'tasks');
    // A file that is being written has another name.
    const [file = ''] = (await readdir(kept)).filter((name) => !name.endsWith('.half'));
    expect((await stat(join(kept, file))).mode & 0o777).toBe(0o600);
    const id = ticket.id.slice(0, 8);
    expect((await run('tasks')).stdout).toMatch(new RegExp(`^ *${id} +render +${server.url} `));
    expect((await run('tasks', 'show', id)).stdout).toBe('working  12 of 40 frames\n');
    server.isAsking = true;
    expect((await run('tasks', 'show', id)).stdout).toBe('input_required\n');
    expect(server.updates).toEqual([]);
    const waited = await run('tasks', 'wait', id, '--answer', 'name=Ada');
    expect([waited.code, waited.stdout]).toEqual([0, 'rendered\n']);
    expect(server.updates).toHaveLength(1);
    expect((await run('tasks')).stdout).toContain('No tasks.');
    expect((await run('tasks', 'wait', id)).code).toBe(2);
  });

  test('leaves a task alone on Ctrl-C, says how to come back, and cancels it when asked', async () => {
    await using server = await new TaskHttpServer().listen();
    await using project = await folder();
    const { path: home } = project;
    const stop = new AbortController();
    const calling = mooring(['call', server.url, 'render'], { home, signal: stop.signal });
    await eventually('a look', () => server.names.includes('tasks/get task-1'), 30_000);
    stop.abort();
    const { stderr } = await calling;
    const id = /mooring tasks wait ([0-9a-f]{8})/.exec(stderr)?.[1] ?? '';
    expect(stderr).toContain(`The task is still running. Wait for it with \`mooring tasks wait ${id}\``);
    expect(server.isCancelled).toBe(false);
    // As in `mooring tasks cancel "$ID"` with a variable that is not set.
    expect([(await mooring(['tasks', 'cancel', ''], { home })).code, server.isCancelled]).toEqual([2, false]);
    const cancelled = await mooring(['tasks', 'cancel', id], { home });
    expect([cancelled.code, server.isCancelled]).toEqual([0, true]);
    expect((await mooring(['tasks'], { home })).stdout).toContain('No tasks.');
  });

  test('says that a server which it started ends with it, and how its task goes on', async () => {
    await using project = await folder();
    const yard = `
      import { serveStdio } from ${sourceOf('transport/stdio.ts')};
      import { createYard } from ${JSON.stringify(pathToFileURL(resolve('test/fixtures/yard.ts')).href)};
      await serveStdio(createYard());
    `;
    const command = [process.execPath, '--import', tsx, '--input-type=module', '-e', yard];
    const { code, stdout } = await mooring(['call', 'drift', '--detach', '--', ...command], { home: project.path });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The server process ends with this command\. If the server stores its tasks, `mooring tasks wait [0-9a-f]{8}`/m,
    );
    expect(stdout).not.toContain('still running');
  });
});
