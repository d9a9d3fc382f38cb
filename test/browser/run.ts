/**
 * The built client in a real browser: a page that is served from one origin uses servers of another.
 *
 *   npm run build && npm run browser
 *
 * One line per check; exit code 1 if one fails.
 */
import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { everyRevision } from '../support/raw.ts';
import { chromium } from './chromium.ts';
import type { Act, Plan, Seen, Verdict } from './plan.ts';

let [passed, failed] = [0, 0];

function judge({ what, why }: Verdict): void {
  if (why === undefined) passed++;
  else failed++;
  console.log(why === undefined ? `ok    ${what}` : `FAIL  ${what}\n${why}`);
}

/** Bundles the page's program for browsers; files by name. */
async function bundle(): Promise<Map<string, string>> {
  const complaints: string[] = [];
  const { output } = await build({
    input: fileURLToPath(new URL('page.ts', import.meta.url)),
    platform: 'browser',
    // Uses the built package, not the source.
    tsconfig: false,
    write: false,
    output: { format: 'esm', entryFileNames: 'page.js' },
    onLog: (_level, { message }) => void complaints.push(message),
  });
  const files = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code] as const] : [])));
  const node = [...files].filter(([, code]) => /["']node:\w|["'](?:child_process|fs|net)["']/.test(code));
  const why = [...complaints, ...node.map(([name]) => `${name} needs Node`)].join('\n');
  judge({ what: 'the client is bundled for browsers without a complaint', ...(why === '' ? {} : { why }) });
  return files;
}

// Allows only its own scripts, and no eval.
const policy = "default-src 'none'; script-src 'self'; connect-src *; frame-src 'self'";
const html = '<!doctype html><title>Mooring</title><body><script type="module" src="/page.js"></script></body>';

const harbour = port();
harbour.server.add(
  tool({
    name: 'typed',
    description: 'Says how deep the water is',
    output: { type: 'object', properties: { depth: { type: 'integer' } }, required: ['depth'] },
    run: () => ({ depth: 12 }),
  }),
);
let added = 0;
/** The counts when the page was done; its last call comes later. */
let over: Seen | undefined;

function acted(what: Act): Seen {
  if (what === 'news') harbour.server.add(tool({ name: `more-${++added}`, run: () => '' }));
  if (what === 'go') harbour.go();
  const seen = { ran: harbour.ran(), aborted: harbour.aborted.length };
  if (what === 'done') over = seen;
  return seen;
}

async function serve(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  if (pathname === '/plan') response.end(JSON.stringify(site.plan));
  else if (pathname === '/act')
    response.end(JSON.stringify(acted(body as Act))); // our own page
  else if (pathname === '/verdict') {
    judge(JSON.parse(body) as Verdict); // our own page
    response.end();
  } else if (pathname === '/')
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(html);
  else {
    const code = site.files.get(pathname.slice(1));
    response.writeHead(code === undefined ? 404 : 200, { 'content-type': 'text/javascript' }).end(code);
  }
}
interface Site {
  readonly files: ReadonlyMap<string, string>;
  plan?: Plan;
}

function start(program: string, url: string, profile: string): ChildProcess {
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const bare = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage'];
  const child = spawn(program, [...bare, ...quiet, `--user-data-dir=${profile}`, url], {
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', (error) => judge({ what: `${program} starts`, why: error.message }));
  // Also on signals, because a browser has many processes, which outlive the first one.
  process.once('exit', () => kill(child));
  process.once('SIGINT', () => process.exit(130));
  return child;
}

function kill({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

/** Exits with instructions if there is none. */
function found(): string {
  try {
    return chromium();
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exit(1);
  }
}

const program = found();
const site: Site = { files: await bundle() };
const pages = createServer((request, response) => void serve(request, response, site)).listen(0, '127.0.0.1');
await once(pages, 'listening');
const { port: at } = pages.address() as AddressInfo; // it listens on a port
// Browsers resolve such names to this machine; for servers it is another host.
const origin = `http://app.localhost:${at}`;
const quick = { port: 0, keepAliveMs: 200, sse: '/sse' };
const open = await serveHttp(harbour.server, { ...quick, allowedOrigins: [origin] });
const unopened = await serveHttp(harbour.server, { ...quick, path: '/unopened' });
const others = await serveHttp(harbour.server, { ...quick, path: '/others', allowedOrigins: ['https://app.example'] });
site.plan = {
  open: open.url,
  sse: open.url.replace('/mcp', '/sse'),
  closed: [unopened.url, others.url],
  revisions: everyRevision,
};

const profile = mkdtempSync(join(tmpdir(), 'mooring-browser-'));
const browser = start(program, origin, profile);
try {
  await eventually('the page to be done', () => over !== undefined || browser.exitCode !== null, 600_000);
  const { ran, aborted } = over ?? acted('look');
  await eventually('the last call', () => harbour.ran() > ran || browser.exitCode !== null);
  kill(browser);
  await eventually('the end of the last call', () => harbour.aborted.length > aborted);
  judge({ what: 'closing the browser cancels what it was waiting for' });
  assert.ok(over !== undefined, 'the browser ended before the page was done');
} catch (thrown) {
  judge({ what: 'the page runs to its end', why: thrown instanceof Error ? thrown.message : String(thrown) });
} finally {
  kill(browser);
  harbour.go();
  await Promise.all([open, unopened, others].map((listener) => listener.close(0)));
  pages.closeAllConnections();
  pages.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
