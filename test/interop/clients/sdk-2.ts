/** The client of the official SDK, version 2, with each way of negotiating a revision. */
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answers, type Over, ours, oursOverHttp, type PeerClient, paged } from './peer-client.ts';

interface Sdk2Options {
  readonly over?: Over;
  /** Another server than ours, over HTTP. */
  readonly at?: URL;
  readonly mode: VersionNegotiationMode;
  /** The revisions of the client. */
  readonly speaks?: readonly string[];
  /** The revisions of our server. */
  readonly offered?: readonly string[];
}

export async function sdk2({ over = 'stdio', mode, speaks, offered, at }: Sdk2Options): Promise<PeerClient> {
  const client = new Client(
    { name: 'sdk-2', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode },
      ...(speaks === undefined ? {} : { supportedProtocolVersions: [...speaks] }),
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : answers.elicitation,
  );
  client.setRequestHandler('sampling/createMessage', () => answers.sampling);
  client.setRequestHandler('roots/list', () => answers.roots);
  const heard: { method: string; params?: unknown }[] = [];
  client.fallbackNotificationHandler = async (notification) => {
    heard.push(notification);
  };
  const { transport, leave } = await reach(over, offered, at);
  await client.connect(transport);
  const pid = transport instanceof StdioClientTransport ? transport.pid : null;
  const stateless = client.getProtocolEra() === 'modern';

  return {
    heard,
    pid,
    revision: client.getNegotiatedProtocolVersion(),
    // The SDK throws this for either code.
    notFound: -32602,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    async page(kind, cursor) {
      // Without a cursor, the SDK fetches all pages.
      const params = cursor === undefined ? {} : { cursor };
      if (kind === 'tools') return paged(await client.listTools(params), 'tools');
      if (kind === 'prompts') return paged(await client.listPrompts(params), 'prompts');
      if (kind === 'resources') return paged(await client.listResources(params), 'resources');
      return paged(await client.listResourceTemplates(params), 'resourceTemplates');
    },
    call: (name, args = {}, { meta: _meta, ...options } = {}) =>
      client.callTool({ name, arguments: args, _meta }, options),
    read: (uri) => client.readResource({ uri }),
    get: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    setLevel: (level) => client.setLoggingLevel(level),
    watch: (uri) =>
      stateless
        ? client.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
        : client.subscribeResource({ uri }),
    ping: () => client.ping(),
    close: () => client.close().finally(leave),
  };
}

async function reach(
  over: Over,
  offered: readonly string[] | undefined,
  at: URL | undefined,
): Promise<{ transport: Transport; leave: () => void }> {
  if (over === 'stdio') return { transport: new StdioClientTransport(ours(offered)), leave: () => undefined };
  const { url, stop } = at === undefined ? await oursOverHttp(over, offered) : { url: at, stop: () => undefined };
  const transport = over === 'http' ? new StreamableHTTPClientTransport(url) : new SSEClientTransport(url);
  return { transport, leave: stop };
}
