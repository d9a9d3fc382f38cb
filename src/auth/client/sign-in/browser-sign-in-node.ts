/** The HTTP server of `browserSignIn`: listens on the port of the redirect URI for one authorization response, and shows the user a page. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { McpError } from '../../../errors.ts';
import type { Clock } from '../../../peer/clock.ts';
import { Deferred } from '../../../peer/wait.ts';
import { browserUrl, isLoopbackUrl } from '../context/browser-url.ts';
import type { SignInAttempt } from './sign-in.ts';

interface RedirectSettings {
  /** The redirect URI, with or without a port. */
  readonly address: URL;
  /** Redirect URIs that are already registered; their ports are tried first. */
  readonly known: readonly string[];
  readonly open: ((url: string) => unknown) | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** How many ports of earlier redirect URIs are tried. */
const MAX_KNOWN = 3;

export async function listenForRedirect(settings: RedirectSettings): Promise<SignInAttempt> {
  const { address, known } = settings;
  const server = createServer();
  // The listening server must not keep the process alive; the timer of `finish` does.
  server.unref();
  const before = known.filter((uri) => differsByPort(uri, address)).map((uri) => Number(new URL(uri).port));
  const ports = address.port === '' ? [...before.slice(0, MAX_KNOWN), 0] : [Number(address.port)];
  for (const [i, port] of ports.entries()) {
    const fault = await tryListen(server, address.hostname, port);
    if (fault === undefined) break;
    const why = `cannot listen on port ${port} (${fault}). Stop the process that uses it, or leave the port out of redirectUri`;
    if (i === ports.length - 1) throw new McpError('MCP_AUTH_FAILED', { url: address.href, step: 'the redirect', why });
  }
  return awaitRedirect(server, settings);
}

/** Whether two redirect URIs differ at most by port, which authorization servers ignore for loopback URIs (RFC 8252). */
function differsByPort(uri: string, { hostname, pathname, search }: URL): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || !isLoopbackUrl(url) || url.port === '') return false;
  return url.hostname === hostname && url.pathname === pathname && url.search === search;
}

/** Returns undefined on success, or the error code of the system. */
async function tryListen(server: Server, hostname: string, port: number): Promise<string | undefined> {
  try {
    // The system can map `localhost` to another machine, but not 127.0.0.1.
    server.listen(port, /^localhost\.?$/.test(hostname) ? '127.0.0.1' : hostname.replace(/[[\]]/g, ''));
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

interface PendingRedirect {
  readonly state: string | null;
  /** The URL of the redirect. */
  readonly answer: Deferred<string>;
}

function awaitRedirect(server: Server, { address, open, timeoutMs, clock }: RedirectSettings): SignInAttempt {
  const here = new URL(address);
  here.port = String((server.address() as AddressInfo).port); // it listens on a port
  const redirectUri = here.href;
  let waiting: PendingRedirect | undefined;
  /** Counts requests whose `state` is missing or wrong. */
  let strays = 0;

  /** Checks `state` (CSRF): any page can send a browser here, but only our authorization URL has the state. Other requests do not end the wait. */
  function onRedirect(url: URL, response: ServerResponse, { state, answer }: PendingRedirect): void {
    if (url.searchParams.get('state') !== state) {
      strays++;
      reply(response, 400, pages.stray);
      return;
    }
    waiting = undefined;
    response.once('close', () => answer.resolve(redirectUri + url.search));
    reply(response, 200, url.searchParams.has('error') ? pages.failed : pages.done);
  }

  server.on('request', ({ method, url: target = '', headers }: IncomingMessage, response: ServerResponse) => {
    const { origin, host, pathname } = here;
    const url = URL.canParse(target, origin) ? new URL(target, origin) : undefined;
    if (headers.host?.toLowerCase() !== host || url?.origin !== origin) reply(response, 403, pages.elsewhere);
    else if (url.pathname !== pathname) reply(response, 404, pages.elsewhere);
    else if (method !== 'GET') reply(response.setHeader('allow', 'GET'), 405, pages.elsewhere);
    else if (waiting === undefined) reply(response, 410, pages.over);
    else onRedirect(url, response, waiting);
  });

  const show = async (url: string): Promise<unknown> =>
    open === undefined ? process.stderr.write(`Open this address to sign in: ${url}\n`) : open(url);

  return {
    redirectUri,
    async finish(authorizationUrl) {
      if (!server.listening)
        throw new McpError('MCP_CLOSED', { why: 'a sign-in can be finished once; call begin again' });
      const url = browserUrl(authorizationUrl);
      const failed = (why: string, cause?: unknown): McpError =>
        new McpError('MCP_AUTH_FAILED', { url: url.origin, step: 'the browser', why }, { cause });
      const answer = new Deferred<string>();
      waiting = { state: url.searchParams.get('state'), answer };
      show(url.href).catch((error: unknown) => answer.reject(failed('it could not be opened', error)));
      const stop = clock.after(timeoutMs, () => {
        const others = strays === 0 ? '' : `; responses without our state: ${strays}`;
        waiting?.answer.reject(failed(`the user did not return within ${timeoutMs} ms (timeoutMs)${others}`));
      });
      try {
        return await answer.promise;
      } finally {
        stop();
        waiting = undefined;
        server.close();
      }
    },
    async close() {
      waiting?.answer.reject(new McpError('MCP_CLOSED', { why: 'the sign-in was cancelled' }));
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const page = (title: string, text: string): string =>
  `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title>\n<h1>${title}</h1>\n<p>${text} You can close this window.</p>\n</html>\n`;

/** Static pages: they contain nothing of the request (XSS). */
const pages = {
  done: page('Signed in', 'Go back to the application.'),
  failed: page('Not signed in', 'The application shows the reason.'),
  over: page('Too late', 'The application no longer waits for this response.'),
  stray: page('Not expected', 'This response belongs to no sign-in of this application.'),
  elsewhere: page('Nothing here', ''),
};

/** The URL contains the code, which must not leak into caches, referrers or other pages. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

function reply(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders).end(html);
}
