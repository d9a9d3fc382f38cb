/** Loopback hosts are recognized in one place, so all features agree about every spelling. */
import { describe, expect, test } from 'vitest';
import { redirectUrl } from '../../src/auth/client/context/browser-url.ts';
import { clientCredentials } from '../../src/auth/index.ts';
import { protectedResource } from '../../src/auth/server/protected-resource.ts';
import { listenAddressIn } from '../../src/cli/module/options.ts';
import { createHost } from '../../src/host/create-host.ts';
import { openai } from '../../src/host/models/openai.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { Servable } from '../../src/peer/exchange.ts';
import { networkKey } from '../../src/transport/http/caller-counts.ts';
import { Guard } from '../../src/transport/http/guard.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { FakeView } from '../support/fake-http.ts';
import { FakeServer } from '../support/fake-server.ts';

const passes = (run: () => unknown): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};
const bare = (host: string): string => host.replace(/[[\]]/g, '');

/** A host that connects to a server after asking the user. */
async function unwarned(url: string): Promise<boolean> {
  const warnings: string[] = [];
  await using host = createHost({
    servers: { one: url },
    policy: [],
    health: false,
    consent: (question) => {
      warnings.push(...question.warnings);
      return { allow: false };
    },
  });
  await host.session().tools();
  return !warnings.some((one) => one.includes('not https'));
}

/** A server that asks the user to visit a page. */
async function visits(page: string): Promise<boolean> {
  const visited: string[] = [];
  const wanted = { mode: 'url', message: 'Look.', url: page, elicitationId: 'e' };
  const shop = new FakeServer({
    revision: '2025-11-25',
    on: {
      'tools/list': () => ({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }] }),
      'tools/call': async (_, line) => {
        await line.ask('elicitation/create', wanted);
        return { content: [] };
      },
    },
  });
  await using host = createHost({
    servers: { shop: shop.transport },
    policy: [rules.allow({})],
    consent: async () => ({ allow: true }),
    health: false,
    questions: { form: async () => ({ action: 'decline' }), open: async (url) => void visited.push(url) },
  });
  await host.session().call('shop.buy');
  return visited.length > 0;
}

/** Whether a host counts as loopback, by feature. */
const askers: Record<string, (host: string) => boolean | Promise<boolean>> = {
  'a token by http': (host) =>
    passes(() => clientCredentials({ client: { id: 'job', secret: 's' } })(new URL(`http://${host}:1/mcp`))),
  'a redirect by http': (host) => passes(() => redirectUrl(`http://${host}:1/callback`, 'It')),
  'an issuer by http': (host) =>
    passes(() => protectedResource({ resource: 'https://a.example', authorizationServers: [`http://${host}:1`] })),
  'a key of a model by http': (host) =>
    passes(() => openai({ model: 'm', apiKey: 'k', baseUrl: `http://${host}:1/v1` })),
  'a page that a server asks the user to visit': (host) => visits(`http://${host}:1/pay`),
  'the warning before a server is connected to': (host) => unwarned(`http://${host}:1/mcp`),
  'the Host of a request': (host) =>
    new Guard({}).fault(new FakeView({ headers: { host: `${host}:1` } })) === undefined,
  'the Origin of a page': (host) =>
    new Guard({}).fault(new FakeView({ headers: { host: 'localhost', origin: `http://${host}:1` } })) === undefined,
  'the address of a caller': (host) => networkKey(bare(host)) === undefined,
  'where `mooring run --http` listens': (host) =>
    passes(() => listenAddressIn({ values: { http: '1', host: bare(host) } })),
  'where a server without `auth` listens': async (host) => {
    // A server is opened after its URL was checked.
    const reached = new Error('prepared');
    const server: Servable = {
      open: () => ({ exchange: async () => undefined, close: () => undefined }),
      prepare: () => Promise.reject(reached),
    };
    const error: unknown = await serveHttp(server, { port: 0, host: bare(host) }).catch((thrown: unknown) => thrown);
    return error === reached;
  },
};

describe.each(Object.entries(askers))('%s', (name, isLocal) => {
  const names = /address/.test(name) ? [] : ['localhost', 'localhost.'];
  test.each([...names, '127.0.0.1', '127.0.0.2', '127.255.255.254', '[::1]', '[::ffff:127.0.0.1]'])(
    'takes %s for this machine',
    async (host) => {
      expect(await isLocal(host)).toBe(true);
    },
  );

  test.each(['app.localhost', 'localhost.example', '128.0.0.1', '0.0.0.0', '[::2]', '[::ffff:128.0.0.1]'])(
    'does not take %s for this machine',
    async (host) => {
      expect(await isLocal(host)).toBe(false);
    },
  );
});
