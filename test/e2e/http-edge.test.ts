/** A server at the edge: one file that uses only web APIs, without `node:` modules, `process` or eval. */
import { createContext, runInContext } from 'node:vm';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { note, request, stateless } from '../support/http-messages.ts';
import { hello } from '../support/raw.ts';

const source = `
  import { createServer, httpHandler, tool } from './src/index.ts';
  const count = tool({ name: 'count', description: 'Counts', input: { type: 'object', properties: { to: { type: 'number' } } }, run({ to }, ctx) {
    for (let n = 1; n <= to; n++) ctx.progress(n);
    return 'counted';
  } });
  export const answer = httpHandler(createServer({ name: 'edge', version: '1', parts: [count] }), { allowedHosts: ['edge.example'] });
`;

type Answer = (request: Request) => Promise<Response>;

async function deployed(): Promise<Answer> {
  const entry = '\0edge';
  const { output } = await build({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
      { name: 'root', resolveId: (id) => (id === './src/index.ts' ? `${process.cwd()}/src/index.ts` : undefined) },
    ],
    platform: 'browser',
    external: ['ajv', /^ajv\//],
    output: { format: 'iife', name: 'edge', codeSplitting: false },
    write: false,
    logLevel: 'silent',
  });
  const { code } = output[0];
  expect(code).not.toMatch(/['"]node:/);
  const { AbortController, crypto, performance, queueMicrotask, setTimeout, clearTimeout, atob, btoa } = globalThis;
  const web = { Request, Response, Headers, ReadableStream, TextEncoder, TextDecoder, URL, URLSearchParams };
  const timers = {
    AbortController,
    crypto,
    performance,
    queueMicrotask,
    setTimeout,
    clearTimeout,
    atob,
    btoa,
    console,
  };
  const context = createContext({ ...web, ...timers }, { codeGeneration: { strings: false, wasm: false } });
  return runInContext(`${code};edge.answer`, context) as Answer; // the bundle exports it
}

const post = (headers: Readonly<Record<string, string | undefined>>, body: unknown): Request => {
  const all = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
  // none of them is undefined
  return new Request('https://edge.example/mcp', {
    method: 'POST',
    headers: all as Record<string, string>,
    body: JSON.stringify(body),
  });
};

test('it answers in both ways of speaking, as JSON and as a stream', async () => {
  const answer = await deployed();
  const params = { name: 'count', arguments: { to: 3 } };
  const lone = stateless('tools/call', params);
  const alone = await answer(post(lone.headers, lone.body));
  expect([alone.status, await alone.json()]).toMatchObject([200, { result: { content: [{ text: 'counted' }] } }]);
  const talkative = stateless('tools/call', { ...params, _meta: { progressToken: 1 } });
  const streamed = await answer(post(talkative.headers, talkative.body));
  expect((await streamed.text()).match(/^data: /gm)).toHaveLength(4);
  const met = await answer(post({}, request(1, 'initialize', hello('2025-11-25'))));
  const session = { 'mcp-session-id': met.headers.get('mcp-session-id') ?? '' };
  expect((await answer(post(session, note('notifications/initialized')))).status).toBe(202);
  expect((await answer(post(session, request(2, 'tools/list')))).status).toBe(200);
  expect((await answer(new Request('https://other.example/mcp'))).status).toBe(403);
});
