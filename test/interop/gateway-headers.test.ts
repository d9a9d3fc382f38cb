/** Compares the HTTP requests of a gateway with those of the official client, for the same server and body. */
import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/index.ts';
import { createServer, prompt, resource, type Server, tool } from '../../src/index.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';

const STATELESS = '2026-07-28';

const shop = (): Server =>
  createServer({
    name: 'shop',
    version: '1',
    parts: [
      tool({
        name: 'find',
        description: 'Finds',
        input: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            count: { type: 'integer', 'x-mcp-header': 'Count' },
            fresh: { type: 'boolean', 'x-mcp-header': 'Fresh' },
            filter: { type: 'object', properties: { brand: { type: 'string', 'x-mcp-header': 'Brand' } } },
            note: { type: 'string' },
          },
        },
        run: () => 'found',
      }),
      tool({ name: 'plain', description: 'Has no marks', run: () => 'plain' }),
      prompt({ name: 'greet', description: 'Greets', render: () => 'Ahoy' }),
      resource({ uri: 'shop://sizes/m%C3%BC', name: 'size', read: () => '42' }),
    ],
  }) as Server; // its types are not needed here

/** Arguments whose headers are difficult: at every depth, with missing values, and with each reason for base64. */
const argumentsOfFind: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { region: 'eu', count: 3, fresh: true, filter: { brand: 'acme' }, note: 'has no header' },
  { region: 'Zürich', count: -1, fresh: false },
  { region: ' led by a space' },
  { region: 'ended by one ' },
  { region: 'two\nlines' },
  { region: '=?base64?ZXU=?=' },
  { region: '' },
  { count: 0, filter: {} },
  { count: 9_007_199_254_740_991 },
  { filter: { brand: '商店' } },
];

interface Sent {
  readonly verb: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> } | undefined;
}

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** An HTTP server that records all requests. */
async function recording(): Promise<{ readonly url: string; readonly sent: Sent[] }> {
  const sent: Sent[] = [];
  const handler = nodeHandler(shop());
  const http = createHttpServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === '' ? undefined : (JSON.parse(text) as Sent['body']); // clients send JSON-RPC
      sent.push({ verb: request.method ?? '', headers: request.headers, body });
    });
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  opened.push(async () => {
    http.closeAllConnections();
    await handler.close();
    http.close();
  });
  const { port } = http.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/mcp`, sent };
}

interface Visit {
  readonly url: string;
  readonly revision: string;
  /** The gateway's prefix of names. */
  readonly prefix?: string;
  /** The gateway's prefix of URI schemes. */
  readonly scheme?: string;
}

/** Everything that the official client does with a server. */
async function visit({ url, revision, prefix = '', scheme = '' }: Visit): Promise<void> {
  const mode = revision === STATELESS ? { pin: revision } : ('legacy' as const);
  const client = new Client(
    { name: 'official', version: '1' },
    {
      versionNegotiation: { mode },
      ...(revision === STATELESS ? {} : { supportedProtocolVersions: [revision] }),
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  await client.listTools();
  await client.listPrompts();
  await client.listResources();
  for (const args of argumentsOfFind) await client.callTool({ name: `${prefix}find`, arguments: args });
  await client.callTool({ name: `${prefix}plain`, arguments: {} });
  await client.getPrompt({ name: `${prefix}greet` });
  await client.readResource({ uri: `${scheme}shop://sizes/m%C3%BC` });
  if (revision !== STATELESS) await transport.terminateSession();
  await client.close();
}

/** The `Mcp-*` headers of a request; session ids only as present or absent, because they are random. */
const ours = (headers: IncomingHttpHeaders): object =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('mcp-'))
      .map(([name, value]) => [name, name === 'mcp-session-id' ? value !== '' : value]),
  );

/** The request without client information, which must be equal for both if the gateway rewrote it correctly. */
function asked({ verb, body }: Sent): string {
  const { name, uri, arguments: args = {} } = body?.params ?? {};
  return JSON.stringify([verb, body?.method, name, uri, args]);
}

const table = (sent: readonly Sent[]): Map<string, object> =>
  new Map(sent.map((request) => [asked(request), ours(request.headers)]));

test.each(['2025-06-18', '2025-11-25', STATELESS])(
  'in %s a gateway sends upstream the Mcp-* headers that the official client sends for the rewritten body',
  async (revision) => {
    const upstream = await recording();
    await visit({ url: upstream.url, revision });
    const official = table(upstream.sent.splice(0));

    const gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams: { shop: { url: upstream.url, revisions: [revision] } },
      onWarning: () => undefined,
    });
    opened.push(() => gateway.close());
    const front = await serveHttp(gateway, { port: 0 });
    opened.push(() => front.close());
    await visit({ url: front.url, revision, prefix: 'shop__', scheme: 'shop+' });
    await gateway.close();
    const gateways = table(upstream.sent);

    // The gateway sends more requests, such as for templates; those that both send must have equal headers.
    expect(Object.fromEntries([...gateways].filter(([request]) => official.has(request)))).toEqual(
      Object.fromEntries(official),
    );
    expect(official.size).toBeGreaterThanOrEqual(argumentsOfFind.length + 7);
  },
  60_000,
);
