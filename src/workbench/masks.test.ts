/** A hostile server repeats its own secrets in every text it can send; pages must get all of them masked. */
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../../test/support/children.ts';
import { FakeServer } from '../../test/support/fake-server.ts';
import { openTestWorkbench, type TestWorkbench } from '../../test/support/workbench.ts';
import { RpcError } from '../errors.ts';
import { createServer, prompt, resource, ToolError, tool } from '../index.ts';
import type { VerbName, VerbParams } from './protocol.ts';

const secret = 'hunter2-hunter2';
const said = `Authorization: Bearer ${secret}`;
let stored = said;
/** Ends the tool that reports progress. */
let endReport = (): void => undefined;
const reported = new Promise<void>((resolve) => {
  endReport = resolve;
});

const talker = createServer({
  name: 'talker',
  version: '1.0.0',
  instructions: said,
  tasks: true,
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
    tool({
      name: 'report',
      description: 'Reports its progress',
      effects: 'read',
      task: true,
      run: async (_, ctx) => {
        ctx.progress(1, 2, said);
        await reported;
        return 'done';
      },
    }),
    tool({
      name: 'ask',
      description: 'Asks',
      effects: 'read',
      run: async (_, ctx) => `answered ${await ctx.confirm('sure', said)}`,
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

const rejects = (): RpcError => new RpcError(-32_000, said, { said });
const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
/** A server that answers lists, and rejects every other request. */
const grumbler = new FakeServer({
  revision: '2026-07-28',
  capabilities: {
    ...{ tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    extensions: { 'io.modelcontextprotocol/skills': {} },
  },
  on: {
    'tools/list': () => ({
      ...fresh,
      tools: [
        // The lock's warning quotes descriptions with invisible characters.
        { name: 'odd', description: `${said} \u200b`, inputSchema: { type: 'object' } },
        { name: 'view', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://grumbler/view' } } },
      ],
    }),
    'prompts/list': () => ({ ...fresh, prompts: [{ name: 'letter' }] }),
    'resources/list': () => ({ ...fresh, resources: [] }),
    'resources/templates/list': () => ({ ...fresh, resourceTemplates: [] }),
    ...Object.fromEntries(
      ['tools/call', 'prompts/get', 'resources/read', 'completion/complete', 'skills/list', 'skills/get'].map(
        (method) => [method, rejects],
      ),
    ),
  },
});

let bench: TestWorkbench;
beforeAll(async () => {
  bench = await openTestWorkbench({
    servers: {
      talker,
      grumbler: grumbler.transport,
      broken: () => Promise.reject(new Error(said)),
      away: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${secret}` } },
    },
    connect: ['talker', 'grumbler'],
    examine: async () => [{ check: 'Command', state: 'failed', found: said }],
    lint: () => [{ rule: 'vague', severity: 'warning', item: 'tool say', found: said, fix: 'Say more' }],
  });
  for (const label of ['talker', 'grumbler'])
    await bench.page.heard(
      'server',
      (event) => 'server' in event && event.server.label === label && event.server.stage === 'ready',
    );
});
afterAll(async () => bench[Symbol.asyncDispose]());

const server = 'talker';
const asked: { [V in VerbName]?: VerbParams<V> } = {
  hello: {},
  'servers.list': {},
  'catalogue.list': { kind: 'tool' },
  'catalogue.lint': {},
  'lock.diff': {},
  'servers.examine': { server },
  'servers.connect': { server: 'broken' },
  call: { server, tool: 'fail', arguments: {} },
  read: { server, uri: 'talker://note' },
  prompt: { server, prompt: 'letter', arguments: { to: 'Ada' } },
  complete: { server, ref: { type: 'prompt', name: 'letter' }, argument: { name: 'to', value: '' } },
};

/** Expects the server's text, with the secret masked. */
function expectMasked(value: unknown): void {
  const text = JSON.stringify(value);
  expect(text).not.toContain(secret);
  expect(text).toMatch(/Authorization: (?:Bearer )?\[masked\]/);
}

test.each(Object.entries(asked))(
  'a secret that a server says itself is masked in the result of %s',
  async (verb, params) => {
    const answer = await bench.page.ask(verb, params);
    expect(answer).toHaveProperty('result');
    expectMasked(answer);
  },
);

const skill = { server: 'grumbler', uri: 'skill://refunds/SKILL.md' };
const failing: { [V in VerbName]?: VerbParams<V> } = {
  call: { server: 'grumbler', tool: 'view', arguments: {} },
  read: { server: 'grumbler', uri: 'grumbler://note' },
  prompt: { server: 'grumbler', prompt: 'letter', arguments: {} },
  complete: { server: 'grumbler', ref: { type: 'prompt', name: 'letter' }, argument: { name: 'to', value: '' } },
  'app.open': { server: 'grumbler', tool: 'view' },
  'skills.verify': skill,
  'skills.load': skill,
};

test.each(Object.entries(failing))(
  'a secret in the error that a server answers with is masked in what %s says of it',
  async (verb, params) => expectMasked(await bench.page.ask(verb, params)),
);

test('a secret in the reason why a server cannot be opened is masked in what a call says of it', async () => {
  expectMasked(await bench.page.ask('call', { server: 'broken', tool: 'x', arguments: {} }));
  const { params } = await bench.page.heard(
    'server',
    (event) => 'server' in event && event.server.failure !== undefined,
  );
  expectMasked(params);
});

test('a secret in a report of progress is masked, of a call and of a task', async () => {
  const call = bench.page.rpc('call', { server, tool: 'report', arguments: {}, ref: 'reported' });
  expectMasked((await bench.page.heard('progress', ({ ref }) => ref === 'reported')).params);
  await bench.page.rpc('call', { server, tool: 'report', arguments: {}, task: true });
  const { params } = await bench.page.heard('task', ({ task }) => task.message?.startsWith('Authorization') === true);
  expectMasked(params);
  expectMasked(await bench.page.rpc('tasks.list', {}));
  endReport();
  await call;
});

test('a secret in a question of a server is masked', async () => {
  const call = bench.page.rpc('call', { server, tool: 'ask', arguments: {} });
  const { question } = (await bench.page.heard('question', (event) => event.question.kind === 'form')).params;
  expectMasked(question);
  await bench.page.rpc('answer', { question: question.id, value: { kind: 'form', action: 'decline' } });
  await call;
});

test('a secret is masked in all steps of a chat', async () => {
  await bench.page.rpc('chat.script', { text: `- [{ call: talker.say }]\n- "${said}"\n` });
  await bench.page.rpc('chat.say', { text: said });
  await bench.page.heard('chat', ({ rows }) => rows.some(({ type }) => type === 'done'));
  const { rows } = await bench.page.rpc('chat.state', {});
  for (const type of ['user', 'tool-result', 'text']) expectMasked(rows.filter((row) => row.type === type));
});

test('a secret in a resource that changes is masked in what is said about the change', async () => {
  await bench.page.rpc('watch', { server, uri: 'talker://note', on: true });
  stored = `changed, ${said}`;
  await eventually('the subscription to begin', () => {
    talker.updated('talker://note');
    return bench.page.events.some(({ name, params }) => name === 'changed' && params['server'] === server);
  });
  const { params } = await bench.page.heard('changed', (change) => change.server === server);
  expect(params.after).toMatch(/^changed, Authorization: /);
  expect(JSON.stringify(await bench.page.rpc('watch.changes', {}))).not.toContain(secret);
});

test('a secret in the reason why a resource is no longer watched is masked', async () => {
  await bench.page.rpc('watch', { server: 'grumbler', uri: 'grumbler://note', on: true });
  expectMasked((await bench.page.heard('changed', (change) => change.server === 'grumbler')).params);
});

/** A server that repeats a secret of its environment, which looks like any other words, in a request for a model. */
const repeating = `
  const lines = require('node:readline').createInterface({ input: process.stdin });
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const text = 'It is ' + process.env.PHRASE;
  let call;
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'think', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call') {
      call = id;
      send({ id: 's', method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 10 } });
    } else if (id === 's') send({ id: call, result: { content: [{ type: 'text', text }] } });
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
  });`;

test('a secret of the environment is masked in requests for a model, in decisions and in errors without a server', async () => {
  const phrase = 'correct horse battery staple';
  const source = { command: process.execPath, args: ['-e', repeating], env: { PHRASE: phrase } };
  await using one = await openTestWorkbench({ servers: { source } });
  const calling = one.page.rpc('call', { server: 'source', tool: 'think', arguments: { text: phrase } });
  const { question } = (await one.page.heard('question', (event) => event.question.kind === 'sampling')).params;
  expect(JSON.stringify(question)).toContain('It is [masked]');
  const value = { kind: 'sampling', action: 'accept', text: 'yes' } as const;
  await one.page.rpc('answer', { question: question.id, value });
  expect((await calling).error).toBeUndefined();
  const { decisions } = await one.page.rpc('policy.decisions', {});
  expect(decisions.find(({ name }) => name === 'think')?.arguments).toEqual({ text: '[masked]' });
  const { error } = await one.page.ask('tasks.attach', { ticket: phrase });
  expect(error?.message).toContain('Unknown ticket "[masked]"');
  expect(JSON.stringify([one.page.events, await calling])).not.toContain(phrase);
});

test('a secret in the path of a URL is masked in the HTTP exchanges of the timeline', async () => {
  const key = 'correct-horse-battery';
  const source = { url: { template: `http://127.0.0.1:9/\${env:KEY}/mcp` } };
  await using one = await openTestWorkbench({
    servers: { source },
    connect: [],
    host: { health: false, environment: { env: { KEY: key } } },
  });
  expect((await one.page.rpc('servers.connect', { server: 'source' })).stage).toBe('failed');
  const { rows } = await one.page.rpc('timeline.page', { filter: { http: true } });
  const details = await Promise.all(rows.map(({ id }) => one.page.rpc('timeline.message', { id })));
  expect(JSON.stringify(details)).toContain('http://127.0.0.1:9/[masked]/mcp');
  expect(JSON.stringify([details, one.page.events])).not.toContain(key);
});

test('no event of all tests in this file contains the secret', () => {
  expect(bench.page.events.length).toBeGreaterThan(10);
  expect(JSON.stringify(bench.page.events)).not.toContain(secret);
});

test('a secret that a server says itself is masked in warnings, which are printed in the terminal', async () => {
  const warned = (): string[] => bench.notes.filter((note) => note.includes('The skills of grumbler'));
  await bench.page.ask('skills.list');
  await eventually('a warning', () => warned().length > 0);
  expectMasked(warned());
});
