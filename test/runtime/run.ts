/**
 * The built package on runtimes other than Node: a server under Deno, a client under Deno, and the programs of the pages about Bun,
 * Deno and Cloudflare Workers. Next.js has a separate command (next.ts), because it is large.
 *
 *   npm run build && npm run runtime
 *
 * One line per check; exit code 1 if one fails.
 */
import { strict as assert } from 'node:assert';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '../../src/connect/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { call, note, progressing, request, stateless } from '../support/http-messages.ts';
import { ask, begin, bytes, open, postText, until } from '../support/http-raw.ts';
import { everyRevision, hello, STATELESS } from '../support/raw.ts';
import { binaries } from './binaries.ts';
import { Checks } from './checks.ts';
import { bunPage, denoPage, plainWorkers, workersPage } from './pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const binary = binaries.deno ?? '';
// Network access to this machine, but no file or environment access.
const flags = ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1'];
const settings = { cwd: here, env: { ...process.env, DENO_DIR: `${root}.cache/deno`, DENO_NO_UPDATE_CHECK: '1' } };

const checks = new Checks();
const check = checks.check.bind(checks);

/** All messages of a stream. */
const messages = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, unknown>);
const methods = (text: string): unknown[] => messages(text).map((message) => message['method'] ?? 'answer');
const confirmed = { action: 'accept', content: { confirm: true } };
const threeAndDone = [...Array<string>(3).fill('notifications/progress'), 'answer'];

async function withoutSessions(url: string, said: readonly string[]): Promise<void> {
  const count = { name: 'count', arguments: { to: 3 } };
  const calledOff = (): number => said.filter((line) => line === 'called off').length;
  await check('without a session, a lone answer is JSON', async () => {
    const { status, headers, text } = await ask(url, stateless('tools/call', count));
    assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
    assert.match(text, /counted to 3/);
  });
  await check('without a session, progress comes as a stream and the answer last', async () => {
    const { headers, text } = await ask(url, stateless('tools/call', { ...count, _meta: { progressToken: 1 } }));
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.deepEqual(methods(text), threeAndDone);
  });
  await check('arguments are checked against their schema', async () => {
    const { text } = await ask(url, stateless('tools/call', { name: 'count', arguments: { to: 0 } }));
    assert.match(text, /minimum|at least|>= ?1/i);
  });
  await check('hanging up calls the request off', async () => {
    const stream = await begin(url, stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    await until(stream, /progress/);
    stream.destroy();
    await eventually('the handler to hear of it', () => calledOff() === 1);
  });
  await check('hanging up before anything was said calls the request off too', async () => {
    const { headers, body } = stateless('tools/call', { name: 'wait' });
    const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers });
    const socket = await open(url);
    socket.write(postText(JSON.stringify(body), lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')));
    await eventually('the handler to run', () => said.filter((line) => line === 'waiting').length === 2);
    socket.destroy();
    await eventually('the handler to hear of it', () => calledOff() === 2);
  });
  await check('a foreign host is refused', async () => {
    const answer = await bytes(url, 'GET /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 403/);
  });
  await check('a body that is too large is refused, with a length and without one', async () => {
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      assert.equal((await ask(url, { headers, body: `"${'x'.repeat(70_000)}"` })).status, 413);
    }
  });
}

async function inSession(url: string, revision: string): Promise<void> {
  let headers: Record<string, string> = {};
  await check(`${revision}: initialize opens a session`, async () => {
    const met = await ask(url, { body: request(0, 'initialize', hello(revision, { elicitation: {} })) });
    headers = { 'mcp-session-id': String(met.headers['mcp-session-id']), 'mcp-protocol-version': revision };
    assert.match(headers['mcp-session-id'] ?? '', /^[\x21-\x7e]{16,}$/);
    assert.equal((await ask(url, { headers, body: note('notifications/initialized') })).status, 202);
  });
  await check(`${revision}: progress comes as a stream and the answer last`, async () => {
    const { text } = await ask(url, { headers, body: progressing(1, 'count', { to: 3 }) });
    assert.deepEqual(methods(text).slice(-4), threeAndDone);
  });
  if (revision >= '2025-06-18') {
    await check(`${revision}: a question goes out on the stream and is answered by a POST`, async () => {
      const stream = await begin(url, { headers, body: call(2, 'sure') });
      const question = messages(await until(stream, /elicitation\/create.*\n\n/)).at(-1);
      const answered = until(stream, /"result"/);
      const body = { jsonrpc: '2.0', id: question?.['id'], result: confirmed };
      assert.equal((await ask(url, { headers, body })).status, 202);
      assert.match(await answered, /"yes"/);
    });
  }
  await check(`${revision}: DELETE ends the session and its standing stream`, async () => {
    const standing = await begin(url, { method: 'GET', headers });
    const ended = once(standing.resume(), 'end');
    assert.deepEqual([standing.statusCode, (await ask(url, { method: 'DELETE', headers })).status], [200, 204]);
    await ended;
    assert.equal((await ask(url, { headers, body: request(3, 'ping') })).status, 404);
  });
}

async function ourClient(url: string, revision: string): Promise<void> {
  await check(`${revision}: our client on Node, this server under Deno`, async () => {
    await using client = await connect(url, {
      revisions: [revision],
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });
    const progress: number[] = [];
    const { text } = await client.call('count', { to: 3 }, { onProgress: (at) => void progress.push(at.progress) });
    assert.deepEqual([text, progress], ['counted to 3', [1, 2, 3]]);
    if (revision >= '2025-06-18') assert.equal((await client.call('sure')).text, 'yes');
  });
}

/** By default, Deno also aborts the signal of a request after its response, and prints a warning; `LATER` turns this off. */
const LATER = '--unstable-no-legacy-abort';
const NOTICE = /^Deno\.serve: request\.signal aborts on successful responses[^\n]*\n$/;

async function serverUnderDeno(more: readonly string[] = []): Promise<void> {
  console.log(['deno', ...flags, ...more, 'serve.ts'].join(' '));
  const args = [...flags, ...more, 'serve.ts'];
  const child: ChildProcess = spawn(binary, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  try {
    if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => said.push(line));
    await eventually('the server to start', () => said.length > 0 || child.exitCode !== null, 30_000);
    if (said.length === 0) throw new Error(`The server did not start; is the package built?\n${complaints}`);
    const url = `http://127.0.0.1:${said[0]}/mcp`;
    await withoutSessions(url, said);
    // The oldest revision has another transport, which needs a second path.
    for (const revision of everyRevision.slice(1)) {
      if (revision !== STATELESS) await inSession(url, revision);
      await ourClient(url, revision);
    }
    await check('nothing of ours is on the error stream', async () => {
      assert.equal(more.includes(LATER) ? complaints : complaints.replace(NOTICE, ''), '');
    });
  } finally {
    child.kill();
  }
}

async function clientUnderDeno(): Promise<void> {
  const listener = await serveHttp(port().server, { port: 0, sse: '/sse' });
  for (const revision of everyRevision) {
    await check(`${revision}: our client under Deno, this server on Node`, async () => {
      const url = revision === everyRevision[0] ? listener.url.replace('/mcp', '/sse') : listener.url;
      const { stdout } = await promisify(execFile)(binary, [...flags, 'call.ts', url, revision], settings);
      const sure = revision < '2025-06-18' ? {} : { sure: 'yes' };
      assert.deepEqual(JSON.parse(stdout), { revision, counted: 'counted to 3', progress: [1, 2, 3], ...sure });
    });
  }
  await listener.close();
}

if (binaries.deno === undefined) {
  console.log('skipped: Deno publishes no binary for this platform');
} else {
  await serverUnderDeno();
  await serverUnderDeno([LATER]);
  await clientUnderDeno();
}
await denoPage(checks);
await bunPage(checks);
await workersPage(checks);
await plainWorkers(checks);
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
