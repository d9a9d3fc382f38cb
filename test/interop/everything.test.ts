/** Our client with the published reference server "everything", over each of its transports. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Client, connect, type LogMessage } from '../../src/connect/index.ts';
import { verifies } from '../support/verifies.ts';
import { answers } from './clients/peer-client.ts';
import { meeting } from './met.ts';
import { type PeerServer, peerServer, published } from './peer-server.ts';
import { soon } from './soon.ts';
import { versionOf } from './version-of.ts';

const peer = '@modelcontextprotocol/server-everything';
const program = new URL(`node_modules/${peer}/dist/index.js`, import.meta.url).pathname;
const transports = [
  { over: 'stdio', how: 'as it comes' },
  { over: 'streamableHttp', how: 'over HTTP' },
  { over: 'sse', how: 'over HTTP+SSE, found out' },
] as const;

describe.each(transports)('the reference server, $how', ({ over, how }) => {
  const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'server', how, revision: '2025-11-25' });
  const logged: LogMessage[] = [];
  const visited: string[] = [];
  let server: PeerServer;
  let client: Client;

  beforeAll(async () => {
    server = over === 'stdio' ? peerServer(program, over) : await published(program, over);
    client = await connect(server.target, {
      elicit: {
        form: ({ defaults }) => ({ action: 'accept', content: { ...defaults, name: 'Ada', check: true } }),
        url: ({ url }) => {
          visited.push(url);
          return { action: 'accept' };
        },
      },
      sample: () => answers.sampling,
      roots: answers.roots.roots,
      onLog: (message) => logged.push(message),
      onWarning: () => undefined,
    });
  });
  afterAll(async () => {
    await client?.close();
    server?.stop();
  });

  const text = async (name: string, args?: Record<string, string | number | boolean>): Promise<string> =>
    (await client.call(name, args)).text;

  check('opening', 'meets it with a handshake after a question that it does not know', () => {
    expect(client.server.revision).toBe('2025-11-25');
    expect(client.server.info?.name).toBe('mcp-servers/everything');
    expect(client.server.instructions).toMatch(/everything/i);
  });

  check('lists', 'lists what there is, and what appears after the handshake', async () => {
    const names = async (kind: 'tools' | 'resources' | 'templates' | 'prompts'): Promise<string[]> =>
      (await client.list(kind).all()).map(({ name }) => name);
    expect(await names('tools')).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-roots-list', 'trigger-elicitation-request']),
    );
    expect(await names('resources')).toContain('architecture.md');
    expect(await names('templates')).toEqual(['Dynamic Text Resource', 'Dynamic Blob Resource']);
    expect(await names('prompts')).toEqual(expect.arrayContaining(['simple-prompt', 'args-prompt']));
  });

  check('structured output', 'gets data that fits the schema of the tool', async () => {
    const { data } = await client.call('get-structured-content', { location: 'Chicago' });
    expect(data).toEqual({ temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 });
  });

  check('content', 'reads every kind of content', async () => {
    expect(await text('echo', { message: 'ahoy' })).toBe('Echo: ahoy');
    const { content: links } = await client.call('get-resource-links', { count: 2 });
    expect(links.map(({ type }) => type)).toEqual(['text', 'resource_link', 'resource_link']);
    const { content: image } = await client.call('get-tiny-image');
    expect(image.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    const reference = { resourceType: 'Text', resourceId: 1 };
    const { content: embedded } = await client.call('get-resource-reference', reference);
    expect(embedded.map(({ type }) => type)).toEqual(['text', 'resource', 'text']);
  });

  check('bad arguments', 'hears what is wrong with the arguments of a call', async () => {
    await expect(client.call('get-sum', { a: 'two', b: 3 })).rejects.toThrow(/number/);
  });

  check('progress', 'hears of every step', async () => {
    const steps: number[] = [];
    const onProgress = ({ progress }: { progress: number }): void => {
      steps.push(progress);
    };
    await client.call('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onProgress });
    expect(steps).toEqual([1, 2, 3, 4]);
  });

  check('cancelling', 'gives up a call, and goes on', async () => {
    const stop = new AbortController();
    const options = { signal: stop.signal, onProgress: () => stop.abort() };
    const running = client.call('trigger-long-running-operation', { duration: 0.5, steps: 50 }, options);
    await expect(running).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(await text('echo', { message: 'still here' })).toBe('Echo: still here');
  });

  check('reading', 'reads text and bytes from templates', async () => {
    expect((await client.read('demo://resource/dynamic/text/7')).text).toMatch(/^Resource 7/);
    const [blob] = (await client.read('demo://resource/dynamic/blob/7')).contents;
    expect(blob).toHaveProperty('blob');
  });

  check('prompt', 'gets prompts with and without arguments', async () => {
    expect((await client.getPrompt('simple-prompt')).messages).toHaveLength(1);
    const { messages } = await client.getPrompt('args-prompt', { city: 'Chicago' });
    expect(messages[0]?.content).toEqual({ type: 'text', text: "What's weather in Chicago?" });
  });

  check('completion', 'completes an argument in the light of another', async () => {
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect((await client.complete(ref, { name: 'department', value: 'S' })).values).toEqual(['Sales', 'Support']);
    const context = { department: 'Sales' };
    expect((await client.complete(ref, { name: 'name', value: '' }, { context })).values).toContain('Eve');
  });

  check('logging', 'gets log messages', async () => {
    await client.setLogLevel('debug');
    await client.call('toggle-simulated-logging');
    await soon(() => expect(logged.length).toBeGreaterThan(0));
  });

  check('elicitation', 'fills in a form with a field of every kind', async () => {
    const answer = await text('trigger-elicitation-request');
    expect(answer).toContain('"name": "Ada"');
    expect(answer).toContain('"titledMultipleSelectEnum": [\n      "fish-1"\n    ]');
  });

  check('visits', 'is asked to open a page, or told to open one first', async () => {
    const url = 'https://harbour.example/sign';
    expect(await text('trigger-url-elicitation', { url })).toContain('User completed');
    expect(visited).toEqual([url]);
    await expect(text('trigger-url-elicitation', { url, errorPath: true })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [expect.objectContaining({ mode: 'url' })] },
    });
  });

  check('sampling', 'lends its model', async () => {
    expect(await text('trigger-sampling-request', { prompt: 'Which berth?', maxTokens: 10 })).toContain('"oracle"');
  });

  check('roots', 'says which folders are open', async () => {
    expect(await text('get-roots-list')).toContain('URI: file:///hold');
  });

  check('changes', 'hears of changes to a resource', async () => {
    await using watch = client.watch({ resources: ['demo://resource/dynamic/text/1'] });
    await watch.granted;
    await client.call('toggle-subscriber-updates');
    expect(await watch.nextChange()).toEqual({ kind: 'resource', uri: 'demo://resource/dynamic/text/1' });
  });

  check('ping', 'gets a sign of life', async () => {
    await expect(client.ping()).resolves.toBeUndefined();
  });

  if (over === 'stdio') {
    check('closing', 'ends a process that its own timers keep from going', async () => {
      verifies('STDIO-018');
      expect(server.running()).toHaveLength(1);
      await client.close();
      expect(server.running()).toEqual([]);
    });
  }
});
