/** Secrets that a server says itself: none of its texts reaches a page with one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../../test/support/children.ts';
import { openTestWorkbench, type TestWorkbench } from '../../test/support/workbench.ts';
import { createServer, prompt, resource, ToolError, tool } from '../server/index.ts';
import type { VerbName, VerbParams } from './protocol.ts';

const secret = 'hunter2-hunter2';
const said = `Authorization: Bearer ${secret}`;
let stored = said;

const talker = createServer({
  name: 'talker',
  version: '1.0.0',
  instructions: said,
  parts: [
    tool({ name: 'say', description: said, effects: 'read', run: () => said }),
    tool({
      name: 'fail',
      description: 'Fails',
      effects: 'read',
      run: () => {
        throw new ToolError(said);
      },
    }),
    resource({ name: 'note', uri: 'talker://note', read: () => stored }),
    prompt({
      name: 'letter',
      args: z.object({ to: z.string() }),
      complete: { to: () => [said] },
      render: () => said,
    }),
  ],
});

let bench: TestWorkbench;
beforeAll(async () => {
  bench = await openTestWorkbench({
    servers: {
      talker,
      away: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${secret}` } },
    },
    connect: ['talker'],
    examine: async () => [{ check: 'Command', state: 'failed', sentence: said }] as never,
  });
  await bench.page.heard('server', (event) => 'server' in event && event.server.stage === 'ready');
});
afterAll(async () => bench[Symbol.asyncDispose]());

const server = 'talker';
const asked: { [V in VerbName]?: VerbParams<V> } = {
  hello: {},
  'servers.list': {},
  'catalogue.list': { kind: 'tool' },
  'servers.examine': { server },
  call: { server, tool: 'fail', arguments: {} },
  read: { server, uri: 'talker://note' },
  prompt: { server, prompt: 'letter', arguments: { to: 'Ada' } },
  complete: { server, ref: { type: 'prompt', name: 'letter' }, argument: { name: 'to', value: '' } },
};

// acceptance 8
test.each(Object.entries(asked))(
  'a secret that a server says itself is masked in the result of %s',
  async (verb, params) => {
    const answer = JSON.stringify(await bench.page.ask(verb, params));
    expect(answer).not.toContain(secret);
    expect(answer).toContain('"result"');
    // The text is there, with a mask in it.
    expect(answer).toContain('Authorization: ');
  },
);

// acceptance 8
test('a secret in a resource that changes is masked in what is said about the change', async () => {
  await bench.page.rpc('watch', { server, uri: 'talker://note', on: true });
  stored = `changed, ${said}`;
  await eventually('the subscription to begin', () => {
    talker.updated('talker://note');
    return bench.page.events.some(({ name }) => name === 'changed');
  });
  const { params } = await bench.page.heard('changed');
  expect(params.after).toMatch(/^changed, Authorization: /);
  expect(JSON.stringify(bench.page.events)).not.toContain(secret);
  expect(JSON.stringify(await bench.page.rpc('watch.changes', {}))).not.toContain(secret);
});
