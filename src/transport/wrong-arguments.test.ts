/** Errors for wrong arguments of the functions that serve, from programs without types. */
import { expect, test } from 'vitest';
import { port } from '../../test/fixtures/port.ts';
import { httpHandler, tool } from '../index.ts';
import { nodeHandler, serveHttp } from './node.ts';
import { serveStdio } from './stdio.ts';

const expected = 'expected a server that createServer() or createGateway() made, not';
const say = tool({ name: 'say', description: 'Says it', run: () => 'hi' });

/** The functions without their types, so that the compiler accepts wrong arguments. */
type Untyped = (...args: readonly unknown[]) => unknown;
const thrownBy = async (run: unknown, ...args: readonly unknown[]): Promise<string> => {
  try {
    return String(await (run as Untyped)(...args));
  } catch (thrown) {
    return String(thrown);
  }
};

test.each([
  ['serveStdio', serveStdio],
  ['nodeHandler', nodeHandler],
  ['serveHttp', serveHttp],
])('%s names what it expects, and what it got', async (name, serve) => {
  const options = name === 'serveHttp' ? { port: 0 } : {};
  expect(await thrownBy(serve, say, options)).toBe(`McpError: ${name}: ${expected} a tool`);
  expect(await thrownBy(serve, Promise.resolve(port().server), options)).toContain('a promise; await it first');
  expect(await thrownBy(serve)).toContain('not undefined');
});

test.each([
  [
    'serveHttp',
    serveHttp,
    { port: 0, allowedHost: [] },
    'there is no option "allowedHost"; did you mean allowedHosts or',
  ],
  ['nodeHandler', nodeHandler, { port: 0 }, 'there is no option "port"; available: '],
  ['serveStdio', serveStdio, { maxInflght: 1 }, 'there is no option "maxInflght"; did you mean maxInFlight?'],
  ['serveHttp', serveHttp, 3111, 'serveHttp(server, { port }): the options must be an object, not 3111'],
  ['serveHttp', serveHttp, { port: 0, auth: 'letmein' }, 'The option "auth": it must be a function, such as bearer('],
])('%s rejects unknown or invalid options: %#', async (_name, serve, options, why) => {
  const thrown = await thrownBy(serve, port().server, options);
  expect(thrown).toContain(why);
  expect(thrown).not.toContain('letmein');
});

test.each([[undefined], [''], ['abc'], [-1], [1.5], [65_536], [Number.NaN], [null]])(
  'serveHttp does not listen on port %j',
  async (given) => {
    const thrown = await thrownBy(serveHttp, port().server, { port: given });
    expect(thrown).toContain('serveHttp: "port" must be a number from 0, for a free one, to 65535, not ');
  },
);

test('serveHttp takes a port as text, as the environment has it', async () => {
  const listener = await serveHttp(port().server, { port: '0' as unknown as number }); // PORT=0
  await listener.close();
  expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
});

test('httpHandler rejects unknown options with the first request', async () => {
  const answer = (httpHandler as (...args: readonly unknown[]) => (request: Request) => Promise<Response>)(
    port().server,
    { maxSesions: 1 },
  );
  const request = new Request('http://localhost/mcp', { method: 'POST', body: '{}' });
  await expect(answer(request)).rejects.toThrow('there is no option "maxSesions"; did you mean maxSessions?');
});

test.each([
  ['off', "sessions: expected a store, { sealed: keys } or 'none', not text"],
  [new Map(), "sessions: expected a store, { sealed: keys } or 'none', not an object"],
  [{ sealed: 'secret' }, 'sessions: "sealed" must be keys of 32 bytes each, at least one'],
])('an invalid value of "sessions" is rejected: %#', async (sessions, why) => {
  const initialize = new Request('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': 'a' } });
  const serve = async (): Promise<unknown> => httpHandler(port().server, { sessions: sessions as 'none' })(initialize);
  expect(await thrownBy(serve)).toContain(why);
});
