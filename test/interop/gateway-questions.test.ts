/** Questions through a gateway, with the official clients as callers and the official servers as upstreams. */
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createGateway, type Gateway, type UpstreamSpec } from '../../src/gateway/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { program } from './bundle-servers.ts';
import { answers, type PeerClient } from './clients/peer-client.ts';
import { sdk1 } from './clients/sdk-1.ts';
import { sdk2 } from './clients/sdk-2.ts';
import { meeting } from './met.ts';
import { type PeerServer, peerHttpServer, peerServer } from './peer-server.ts';
import { versionOf } from './version-of.ts';

// Each test asks eight servers. The timeout only tells slow from never.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const STATELESS = '2026-07-28';
/** The first revision with form elicitation. */
const FORMS = '2025-06-18';

/** Both versions of the SDK, over each of their transports. */
const servers = {
  two: () => peerHttpServer(program('servers/sdk-2'), 'http'),
  twoPipe: async () => peerServer(program('servers/sdk-2'), 'stateless'),
  twoSessions: () => peerHttpServer(program('servers/sdk-2'), 'http-sessions'),
  one: () => peerHttpServer(program('servers/sdk-1'), 'http'),
  onePipe: async () => peerServer(program('servers/sdk-1')),
  oneSse: () => peerHttpServer(program('servers/sdk-1'), 'sse'),
} as const;

/** By label: the server, and the revision that the gateway negotiates with it. */
const upstreams: Readonly<Record<string, { readonly server: keyof typeof servers; readonly revision: string }>> = {
  two: { server: 'two', revision: STATELESS },
  twopipe: { server: 'twoPipe', revision: STATELESS },
  twosessions: { server: 'twoSessions', revision: '2025-11-25' },
  one: { server: 'one', revision: '2025-11-25' },
  onepipe: { server: 'onePipe', revision: '2025-11-25' },
  oneforms: { server: 'one', revision: '2025-06-18' },
  oneold: { server: 'one', revision: '2025-03-26' },
  onesse: { server: 'oneSse', revision: '2024-11-05' },
};

interface CallerCase {
  readonly peer: string;
  readonly how: string;
  readonly revision: string;
  readonly open: (listener: HttpListener) => Promise<PeerClient>;
}

const [SDK_1, SDK_2] = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/client'];
const legacy = { mode: 'legacy' } as const;
const sse = ({ url }: HttpListener): URL => new URL('/sse', url);
const mcp = ({ url }: HttpListener): URL => new URL(url);
const callers: readonly CallerCase[] = [
  {
    ...{ peer: SDK_2, how: 'through a gateway', revision: STATELESS },
    open: (at) => sdk2({ over: 'http', mode: { pin: STATELESS }, at: mcp(at) }),
  },
  {
    ...{ peer: SDK_2, how: 'through a gateway', revision: '2025-11-25' },
    open: (at) => sdk2({ over: 'http', ...legacy, at: mcp(at) }),
  },
  {
    ...{ peer: SDK_1, how: 'through a gateway', revision: '2025-11-25' },
    open: (at) => sdk1({ over: 'http', at: mcp(at) }),
  },
  {
    ...{ peer: SDK_1, how: 'through a gateway', revision: '2025-06-18' },
    open: (at) => sdk1({ over: 'http', asks: '2025-06-18', at: mcp(at) }),
  },
  {
    ...{ peer: SDK_1, how: 'through a gateway', revision: '2025-03-26' },
    open: (at) => sdk1({ over: 'http', asks: '2025-03-26', at: mcp(at) }),
  },
  {
    ...{ peer: SDK_1, how: 'through a gateway, over HTTP+SSE', revision: '2024-11-05' },
    open: (at) => sdk1({ over: 'sse', asks: '2024-11-05', at: sse(at) }),
  },
];

let started: readonly (readonly [string, PeerServer])[] = [];
let gateway: Gateway;
let listener: HttpListener;

beforeAll(async () => {
  started = await Promise.all(Object.entries(servers).map(async ([name, start]) => [name, await start()] as const));
  const members = Object.entries(upstreams).map(([label, { server, revision }]): [string, UpstreamSpec] => {
    const { target } = new Map(started).get(server) as PeerServer; // all were started
    return [label, { ...(typeof target === 'string' ? { url: target } : target), revisions: [revision] }];
  });
  const spec = { name: 'acme', version: '1', onWarning: () => undefined };
  gateway = createGateway({ ...spec, upstreams: Object.fromEntries(members) });
  listener = await serveHttp(gateway, { port: 0, sse: '/sse' });
});
afterAll(async () => {
  await gateway.close();
  await listener.close(0);
  for (const [, server] of started) server.stop();
});

describe.each(callers)('$peer, $how ($revision)', ({ peer, how, revision, open }) => {
  const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'client', how, revision });
  let client: PeerClient;
  beforeAll(async () => {
    client = await open(listener);
  });
  afterAll(() => client.close());

  const ask = async (tool: string): Promise<Record<string, string | undefined>> => {
    const said: Record<string, string | undefined> = {};
    for (const label of Object.keys(upstreams)) {
      const { content, isError } = await client.call(`${label}__${tool}`);
      said[label] = isError === true ? 'failed' : content[0]?.text;
    }
    return said;
  };
  const everywhere = (text: string): Record<string, string> =>
    Object.fromEntries(Object.keys(upstreams).map((label) => [label, text]));

  check('opening', `a caller agrees with the gateway on ${revision}`, () => {
    expect(client.revision).toBe(revision);
  });

  check('sampling', 'every upstream gets the sample of its caller', async () => {
    expect(await ask('think')).toEqual(everywhere('oracle: north'));
  });

  check('roots', 'every upstream gets the roots of its caller', async () => {
    expect(await ask('folders')).toEqual(everywhere('file:///hold'));
  });

  check(
    'elicitation',
    'an upstream gets the form of its caller where both revisions have forms, and elsewhere it fails',
    async () => {
      const said = await ask('introduce');
      for (const [label, { revision: theirs }] of Object.entries(upstreams)) {
        const canAsk = revision >= FORMS && theirs >= FORMS;
        const text = said[label] ?? '';
        expect([label, canAsk ? JSON.parse(text) : text]).toEqual([label, canAsk ? answers.elicitation : 'failed']);
      }
    },
  );
});
