/** Our client with other servers in a child process: the same server built with each implementation. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Change, type Client, connect, type LogMessage, ToolError } from '../../src/connect/index.ts';
import { program } from './bundle-servers.ts';
import { answers } from './clients/peer-client.ts';
import { meeting } from './met.ts';
import { type PeerServer, peerHttpServer, peerServer } from './peer-server.ts';
import { soon } from './soon.ts';
import { versionOf } from './version-of.ts';

const STATELESS = '2026-07-28';

interface Served {
  readonly peer: string;
  readonly how: string;
  readonly revision: string;
  /** The program and its arguments. */
  readonly run: readonly [string, ...string[]];
  readonly over?: 'http';
  /** The revisions of our client; all by default. */
  readonly allow?: readonly string[];
  readonly lacks?: readonly string[];
  readonly faults?: Readonly<Record<string, string>>;
}

const unknownTool = 'an unknown tool is a failed result, not the error -32602 (TOOL-44)';
const notFound = 'a resource that does not exist is -32602 also where -32002 is the number for it (RES-23)';
const sdk1 = {
  peer: '@modelcontextprotocol/sdk',
  run: ['servers/sdk-1'],
  faults: { 'code of an unknown tool': unknownTool, 'code of not found': notFound },
} as const;
const sdk2 = { peer: '@modelcontextprotocol/server', run: ['servers/sdk-2', 'both'] } as const;
const sdk2Met = { ...sdk2, faults: { 'code of not found': notFound } };
const tmcp = {
  peer: 'tmcp',
  run: ['servers/tmcp'],
  // Over stdio, its handlers do not notice cancellation.
  lacks: ['cancelling'],
  faults: { 'code of an unknown tool': unknownTool },
} as const;
const tmcpMet = { ...tmcp, faults: sdk1.faults };

/** Over HTTP, a server outlives its clients. */
const http = { over: 'http', lacks: ['closing'] } as const;
const sdk1Http = { ...sdk1, ...http, run: ['servers/sdk-1', 'http'] } as const;
const sdk1Sse = { ...sdk1Http, run: ['servers/sdk-1', 'sse'] } as const;
const sdk2Http = { ...sdk2, ...http, run: ['servers/sdk-2', 'http'] } as const;
const sdk2Sessions = { ...sdk2Met, ...http, run: ['servers/sdk-2', 'http-sessions'] } as const;
const overHttp: readonly Served[] = [
  { ...sdk1Http, how: 'over HTTP', revision: '2025-11-25' },
  { ...sdk1Http, how: 'over HTTP, asked for an older revision', revision: '2025-06-18', allow: ['2025-06-18'] },
  { ...sdk1Http, how: 'over HTTP, asked for an older revision', revision: '2025-03-26', allow: ['2025-03-26'] },
  // It accepts any requested revision, even one with another transport.
  { ...sdk1Sse, how: 'over HTTP+SSE, found out', revision: '2025-11-25' },
  { ...sdk1Sse, how: 'over HTTP+SSE', revision: '2024-11-05', allow: ['2024-11-05'] },
  { ...sdk2Http, how: 'over HTTP', revision: STATELESS },
  { ...sdk2Sessions, how: 'over HTTP, with sessions', revision: '2025-11-25' },
  { ...sdk2Sessions, how: 'over HTTP, with sessions', revision: '2025-06-18', allow: ['2025-06-18'] },
];

const servers: readonly Served[] = [
  ...overHttp,
  { ...sdk1, how: 'as it comes', revision: '2025-11-25' },
  { ...sdk1, how: 'asked for an older revision', revision: '2025-06-18', allow: ['2025-06-18'] },
  { ...sdk1, how: 'asked for an older revision', revision: '2025-03-26', allow: ['2025-03-26'] },
  { ...sdk1, how: 'asked for the oldest revision', revision: '2024-11-05', allow: ['2024-11-05'] },
  { ...sdk2, how: 'as it comes', revision: STATELESS },
  { ...sdk2, how: 'without a handshake only', revision: STATELESS, run: ['servers/sdk-2', 'stateless'] },
  { ...sdk2Met, how: 'with a handshake only', revision: '2025-11-25', run: ['servers/sdk-2', 'handshake'] },
  { ...sdk2Met, how: 'asked for a handshake', revision: '2025-11-25', allow: ['2025-11-25', '2025-06-18'] },
  { ...sdk2Met, how: 'asked for an older revision', revision: '2025-06-18', allow: ['2025-06-18'] },
  { ...sdk2Met, how: 'asked for an older revision', revision: '2025-03-26', allow: ['2025-03-26'] },
  { ...sdk2Met, how: 'asked for the oldest revision', revision: '2024-11-05', allow: ['2024-11-05'] },
  // Roots are deprecated there, and tmcp does not request them.
  { ...tmcp, how: 'as it comes', revision: STATELESS, lacks: ['cancelling', 'roots'] },
  { ...tmcpMet, how: 'offering an older revision', revision: '2025-06-18', allow: ['2025-11-25', '2025-06-18'] },
  { ...tmcpMet, how: 'asked for the oldest revision', revision: '2024-11-05', allow: ['2024-11-05'] },
];

describe.each(servers)(
  '$peer, $how ($revision)',
  ({ peer, how, revision, over, run: [file, ...args], allow, lacks, faults }) => {
    const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'server', how, revision, lacks, faults });
    const logged: LogMessage[] = [];
    let server: PeerServer;
    let client: Client;

    beforeAll(async () => {
      server = over === 'http' ? await peerHttpServer(program(file), ...args) : peerServer(program(file), ...args);
      client = await connect(server.target, {
        ...(allow === undefined ? {} : { revisions: allow }),
        elicit: () => answers.elicitation,
        sample: () => answers.sampling,
        roots: answers.roots.roots,
        onLog: (message) => logged.push(message),
        logLevel: 'warning',
        onWarning: () => undefined,
        // On a busy machine, a slow start must not count as no response.
        probeTimeoutMs: 8_000,
        connectTimeoutMs: 15_000,
      });
    });
    afterAll(async () => {
      await client?.close();
      server?.stop();
    });

    const text = async (name: string): Promise<string> => (await client.call(name)).text;

    check('opening', 'agrees on the revision and learns who it is', async () => {
      expect(client.server).toMatchObject({ revision, instructions: 'Berth before you unload.' });
      expect(client.server.info).toMatchObject({ name: expect.stringContaining('quay-'), version: '1.0.0' });
      // It arrives on another pipe than the response.
      await soon(() => expect(server.pids).toHaveLength(1));
    });

    check('lists', 'walks the pages of every list', async () => {
      const names = async (kind: 'tools' | 'resources' | 'prompts' | 'templates'): Promise<string[]> =>
        (await client.list(kind).all()).map(({ name }) => name).toSorted();
      expect(await names('tools')).toEqual(expect.arrayContaining(['add', 'count', 'fail', 'grow', 'touch']));
      expect(await names('resources')).toEqual(['flag', 'log']);
      expect(await names('templates')).toEqual(['berth']);
      expect(await names('prompts')).toEqual(['farewell', 'greet']);
      let pages = 0;
      for await (const page of client.list('prompts').pages()) pages += page.length === 1 ? 1 : 0;
      expect(pages).toBe(2);
    });

    check('structured output', 'gets data that fits the schema of the tool', async () => {
      const result = await client.call('add', { a: 2, b: 3 });
      expect(result.data).toEqual({ sum: 5 });
    });

    if (peer === sdk2.peer) {
      check('array output', 'gets data that is no object, wrapped where the revision has no place for it', async () => {
        const berths = ['north', 'south'];
        expect((await client.call('berths')).data).toEqual(revision === STATELESS ? berths : { result: berths });
      });
    }

    check('bad arguments', 'hears what is wrong with the arguments of a call', async () => {
      await expect(client.call('add', { a: 'two', b: 3 })).rejects.toThrow(/\ba\b/);
    });

    check('tool error', 'throws the words of a tool that failed', async () => {
      const failing = client.call('fail');
      await expect(failing).rejects.toThrow(ToolError);
      await expect(failing).rejects.toThrow('The crane is stuck');
    });

    check('unknown tool', 'hears that there is no such tool', async () => {
      await expect(client.call('nothing')).rejects.toThrow(/nothing.*not found/);
    });

    check('code of an unknown tool', 'hears it as an error of the protocol', async () => {
      await expect(client.call('nothing')).rejects.toMatchObject({ name: 'RpcError', code: -32602 });
    });

    check('progress', 'hears of every step', async () => {
      const steps: string[] = [];
      await client.call(
        'count',
        { to: 3 },
        { onProgress: (step) => steps.push(`${step.progress}/${step.total} ${step.message}`) },
      );
      expect(steps).toEqual(['1/3 1 of 3', '2/3 2 of 3', '3/3 3 of 3']);
    });

    check('cancelling', 'stops a call that it no longer wants', async () => {
      const stop = new AbortController();
      const waiting = client.call('wait', {}, { signal: stop.signal });
      expect(await text('aborted')).toBe('0');
      stop.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
      await soon(async () => expect(await text('aborted')).toBe('1'));
    });

    if (revision === '2025-11-25' && how.startsWith('over HTTP') && !how.includes('SSE')) {
      check('resuming', 'comes back for an answer when the server hangs up', async () => {
        expect(await text('doze')).toBe('hung up and slept');
      });
    }

    check('reading', 'reads text, bytes and a template', async () => {
      expect((await client.read('quay://log')).text).toBe('All quiet');
      expect((await client.read('quay://flag')).contents).toEqual([
        expect.objectContaining({ uri: 'quay://flag', mimeType: 'image/png' }),
      ]);
      expect((await client.read('quay://berth/7')).text).toBe('Berth 7');
    });

    check('not found', 'hears that there is no such resource', async () => {
      const reading = client.read('quay://nothing');
      await expect(reading).rejects.toThrow(/not found/i);
      if (peer === sdk2.peer) await expect(reading).rejects.toMatchObject({ reason: 'resource-not-found' });
    });

    check('code of not found', 'hears it by the number that the revision has for it', async () => {
      const code = revision === STATELESS ? -32602 : -32002;
      await expect(client.read('quay://nothing')).rejects.toMatchObject({ name: 'RpcError', code });
    });

    check('prompt', 'gets a prompt with its argument', async () => {
      const { messages } = await client.getPrompt('greet', { who: 'Ada' });
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Ahoy, Ada!' } }]);
    });

    check('completion', 'completes a variable of a template', async () => {
      const ref = { type: 'ref/resource', uri: 'quay://berth/{id}' } as const;
      expect((await client.complete(ref, { name: 'id', value: 'n' })).values).toEqual(['north']);
    });

    check('logging', 'gets log messages of the level it asked for', async () => {
      await client.call('chatter');
      const shout = { level: 'warning', logger: 'quay', data: 'shout' };
      await soon(() => expect(logged).toEqual([shout]));
      await client.setLogLevel('debug');
      await client.call('chatter');
      await soon(() => expect(logged).toEqual([shout, { level: 'debug', logger: 'quay', data: 'whisper' }, shout]));
    });

    check('changes', 'hears of changes to a resource and to the list of tools', async () => {
      const news: Change[] = [];
      const watch = client.watch({ tools: true, resources: ['quay://log'] });
      const reading = (async () => {
        for await (const one of watch) if (news.push(one) === 2) break;
      })();
      await watch.granted;
      await client.call('touch', { uri: 'quay://flag' });
      await client.call('touch', { uri: 'quay://log' });
      await client.call('grow');
      await reading;
      expect(news).toEqual([{ kind: 'resource', uri: 'quay://log' }, { kind: 'tools' }]);
      expect(await text('grown')).toBe('new here');
    });

    if (revision >= '2025-06-18') {
      check('elicitation', 'fills in a form', async () => {
        expect(JSON.parse(await text('introduce'))).toEqual(answers.elicitation);
      });
    } else {
      check('elicitation refused', 'is not asked what its revision has no words for', async () => {
        await expect(client.call('introduce')).rejects.toThrow(/elicitation/i);
      });
    }

    check('sampling', 'lends its model', async () => {
      expect(await text('think')).toBe('oracle: north');
    });

    check('roots', 'says which folders are open', async () => {
      expect(await text('folders')).toBe('file:///hold');
    });

    check('ping', 'gets a sign of life', async () => {
      await expect(client.ping()).resolves.toBeUndefined();
    });

    check('closing', 'closes, and leaves no process behind', async () => {
      expect(server.running()).toEqual(server.pids);
      await client.close();
      expect(server.running()).toEqual([]);
    });
  },
);
