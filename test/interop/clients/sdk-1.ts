/** The client of the official SDK, version 1. It always requests its newest revision, and accepts the offered one. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answers, type CallResult, type Over, ours, oursOverHttp, type PeerClient, paged } from './peer-client.ts';

interface Sdk1Options {
  readonly over?: Over;
  /** Another server than ours, over HTTP. */
  readonly at?: URL;
  /** The revisions of our server. */
  readonly offered?: readonly string[];
  /** The revision to request, as an older client does; the SDK has no option for it. */
  readonly asks?: string;
}

export async function sdk1({ over = 'stdio', offered, asks, at }: Sdk1Options): Promise<PeerClient> {
  const client = new Client(
    { name: 'sdk-1', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : answers.elicitation,
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.sampling);
  client.setRequestHandler(ListRootsRequestSchema, () => answers.roots);
  const heard: { method: string; params?: unknown }[] = [];
  client.fallbackNotificationHandler = async (notification) => {
    heard.push(notification);
  };

  let revision: string | undefined;
  const { transport, leave } = await reach(over, offered, at);
  const agree = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (agreed) => {
    revision = agreed;
    agree?.(agreed);
  };
  if (asks !== undefined) askFor(asks, transport);
  await client.connect(transport);
  const pid = transport instanceof StdioClientTransport ? transport.pid : null;

  return {
    heard,
    pid,
    revision,
    // The server's code, unchanged.
    notFound: -32002,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    async page(kind, cursor) {
      const params = cursor === undefined ? {} : { cursor };
      if (kind === 'tools') return paged(await client.listTools(params), 'tools');
      if (kind === 'prompts') return paged(await client.listPrompts(params), 'prompts');
      if (kind === 'resources') return paged(await client.listResources(params), 'resources');
      return paged(await client.listResourceTemplates(params), 'resourceTemplates');
    },
    // Without a task, a call returns a result with content.
    call: (name, args = {}, { meta: _meta, ...options } = {}) =>
      client.callTool({ name, arguments: args, _meta }, undefined, options) as Promise<CallResult>,
    read: (uri) => client.readResource({ uri }),
    get: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    setLevel: (level) => client.setLoggingLevel(level),
    watch: (uri) => client.subscribeResource({ uri }),
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

function askFor(revision: string, transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) =>
    'method' in message && message.method === 'initialize'
      ? send({ ...message, params: { ...message.params, protocolVersion: revision } }, options)
      : send(message, options);
}
