/** Per-caller credentials at an upstream: a call uses those of its caller, in any order of callers. */
import { expect, test } from 'vitest';
import { knock } from '../../../test/support/fake-http.ts';
import { call, opened } from '../../../test/support/http-messages.ts';
import { open, textOf, withHandshake } from '../../../test/support/raw.ts';
import { createServer, tool, use } from '../../index.ts';
import { isRequest, type JsonObject, success } from '../../jsonrpc/message.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { HttpService } from '../../transport/http/service.ts';
import { serveHttp } from '../../transport/node.ts';
import type { UpstreamCredentials } from '../contract.ts';
import { createGateway, GatewayServer } from '../gateway.ts';

const person = (subject: string, ...scopes: string[]): AuthInfo => ({ issuer: 'https://id', subject, scopes });
const nameOf = ({ subject, scopes }: AuthInfo): string => [subject, ...scopes].join('+');
const sending =
  (token: string): ClientAuth =>
  () => ({
    headers: () => ({ authorization: `Bearer ${token}` }),
    onChallenge: () => false,
  });
/** As an application can write it: a caller without a name has an empty key, and no token. */
const byName: UpstreamCredentials = {
  keyFor: (auth) => (auth === undefined ? '' : nameOf(auth)),
  authFor: (auth) => (auth === undefined ? undefined : sending(nameOf(auth))),
};

test.each([['2026-07-28'], withHandshake.slice(-1)])(
  'each caller of an upstream in %s calls with the credentials of its own token, and one that has none never with those of another',
  async (revision) => {
    const whoami = tool({ name: 'whoami', run: (_, { auth }) => auth?.subject ?? 'anonymous' });
    const upstream = await serveHttp(createServer({ name: 'shop', version: '1', parts: [whoami] }), {
      port: 0,
      auth: ({ header }) => person(header('authorization') ?? 'anonymous'),
    });
    const shop = { url: upstream.url, revisions: [revision], auth: byName };
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop } });
    const calls = [person('ada'), undefined, person('bob'), person('ada', 'write'), undefined, person('ada')].map(
      (auth) => async (): Promise<unknown> => {
        const raw = await open(gateway, auth === undefined ? {} : { auth });
        const { content } = await raw.result('tools/call', { name: 'shop__whoami' });
        return (content as readonly { readonly text: string }[])[0]?.text;
      },
    );
    const said: unknown[] = [];
    for (const call of calls) said.push(await call());
    expect(said).toEqual(['Bearer ada', 'anonymous', 'Bearer bob', 'Bearer ada+write', 'anonymous', 'Bearer ada']);
    await upstream.close();
  },
);

test('a session that goes on with another token calls with the credentials of that one', async () => {
  const whoami = tool({ name: 'whoami', run: (_, { auth }) => auth?.subject ?? 'anonymous' });
  const upstream = await serveHttp(createServer({ name: 'shop', version: '1', parts: [whoami] }), {
    port: 0,
    auth: ({ header }) => person(header('authorization') ?? 'anonymous'),
  });
  const shop = { url: upstream.url, auth: byName, isolate: 'session' } as const;
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop } });
  const service = new HttpService(gateway, {
    auth: ({ header }) => person(...((header('authorization') ?? '').split(' ') as [string])), // never empty
  });
  const session = await opened(service, '2025-11-25', { authorization: 'ada' });
  const said: unknown[] = [];
  for (const authorization of ['ada', 'ada write', 'ada']) {
    const { json } = await knock(service, { headers: { ...session, authorization }, body: call(1, 'shop__whoami') });
    const { content } = json['result'] as { readonly content: readonly { readonly text: string }[] };
    said.push(content[0]?.text);
  }
  expect(said).toEqual(['Bearer ada', 'Bearer ada+write', 'Bearer ada']);
  await upstream.close();
});

test('a call for which its caller could get no token was not sent, and the model can read why', async () => {
  const shop = createServer({ name: 'shop', version: '1', parts: [tool({ name: 'buy', run: () => 'bought' })] });
  const upstream = await serveHttp(shop, { port: 0 });
  const tokenless: ClientAuth = () => ({
    headers: ({ operation }) =>
      operation === 'tools/call' ? Promise.reject(new Error('the token endpoint is busy')) : undefined,
    onChallenge: () => false,
  });
  const auth: UpstreamCredentials = { keyFor: () => '', authFor: () => tokenless };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop: { url: upstream.url, auth } } });
  const raw = await open(gateway, {});
  expect(await raw.result('tools/call', { name: 'shop__buy' })).toMatchObject({
    isError: true,
    content: [{ text: 'The server shop did not answer tools/call (MCP_AUTH_FAILED)' }],
    _meta: { 'dev.mooring/outcome': 'not-sent' },
  });
  await upstream.close();
});

/** An upstream that rejects the tokens of all callers whose names begin with a `b`. */
async function rejecting() {
  const upstream = await serveHttp(
    createServer({ name: 'shop', version: '1', parts: [tool({ name: 'find', run: () => 'found' })] }),
    {
      port: 0,
      auth: ({ header }) =>
        header('authorization')?.startsWith('Bearer b') === true
          ? { status: 401, wwwAuthenticate: 'Bearer' }
          : person(header('authorization') ?? 'anonymous'),
    },
  );
  const gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { shop: { url: upstream.url, auth: byName } },
    onWarning: () => undefined,
  });
  const callAs = async (name: string): Promise<string> => {
    const raw = await open(gateway, { auth: person(name) });
    return textOf(await raw.result('tools/call', { name: 'shop__find' }));
  };
  return {
    callAs,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await upstream.close();
    },
  };
}

test('callers whose tokens an upstream rejects, however many, keep no other caller from it', async () => {
  await using it = await rejecting();
  for (let at = 0; at < 7; at++) await it.callAs(`b${at}`).catch(() => undefined);
  expect(await it.callAs('ada')).toBe('found');
});

test('the first connection to an upstream, made with a token that it rejects, fails no call of another caller', async () => {
  await using it = await rejecting();
  const [first, second, third] = await Promise.allSettled([it.callAs('bob'), it.callAs('ada'), it.callAs('cleo')]);
  expect(first).toMatchObject({ status: 'rejected' });
  expect([second, third]).toMatchObject([{ value: 'found' }, { value: 'found' }]);
});

test('callers whose lists are equal share one, and each list says whether it is the same for all', async () => {
  const tools = [{ name: 'find', inputSchema: { type: 'object' } }];
  const listed = (...scope: string[]): JsonObject => ({
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: scope[0],
    tools,
  });
  const upstream = await serveHttp(
    use(createServer({ name: 'shop', version: '1', parts: [tool({ name: 'find', run: () => 'found' })] }), (next) => {
      return async (message, link) =>
        isRequest(message) && message.method === 'tools/list'
          ? success(message.id, listed(link.auth?.subject === 'Bearer ada' ? 'public' : 'private'))
          : next(message, link);
    }),
    { port: 0, auth: ({ header }) => person(header('authorization') ?? 'anonymous') },
  );
  await using gateway = new GatewayServer({
    name: 'acme',
    version: '1',
    upstreams: { shop: { url: upstream.url, auth: byName } },
  });
  const scopes: unknown[] = [];
  for (const name of ['ada', 'bob', 'ada', 'bob'])
    scopes.push((await (await open(gateway, { auth: person(name) })).result('tools/list'))['cacheScope']);
  expect(scopes).toEqual(['public', 'private', 'public', 'private']);
  const { lists } = gateway.state.upstreams.get('shop');
  const [ofAda, ofBob] = ['ada', 'bob'].map((name) => lists.peek('tools', `of ${name}`));
  expect(ofAda?.version).toBe(ofBob?.version);
  expect(ofAda?.items).toBe(ofBob?.items);
  await upstream.close();
});
