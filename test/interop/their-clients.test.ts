/** Other clients with our server in a child process. */
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { verifies } from '../support/verifies.ts';
import type { PeerClient } from './clients/peer-client.ts';
import { sdk1 } from './clients/sdk-1.ts';
import { sdk2 } from './clients/sdk-2.ts';
import { isRunning } from './is-running.ts';
import { meeting } from './met.ts';
import { soon } from './soon.ts';
import { versionOf } from './version-of.ts';

const STATELESS = '2026-07-28';
const tools = [
  ...['aborted', 'add', 'berths', 'cargo', 'chatter', 'count', 'doze', 'fail', 'folders', 'grow'],
  ...['introduce', 'release', 'sign', 'think', 'touch', 'wait'],
];

interface Calling {
  readonly peer: string;
  readonly revision: string;
  readonly how: string;
  readonly lacks?: readonly string[];
  readonly faults?: Readonly<Record<string, string>>;
  open(): Promise<PeerClient>;
}

/** Over HTTP, the client does not end the server. */
const v1 = { peer: '@modelcontextprotocol/sdk', lacks: ['closing'] } as const;
const v2 = { peer: '@modelcontextprotocol/client', lacks: ['closing'] } as const;
const overHttp: readonly Calling[] = [
  { ...v1, revision: '2025-11-25', how: 'over HTTP', open: () => sdk1({ over: 'http' }) },
  {
    ...v1,
    revision: '2025-06-18',
    how: 'over HTTP, asking for an older revision',
    open: () => sdk1({ over: 'http', asks: '2025-06-18' }),
  },
  {
    ...v1,
    revision: '2025-03-26',
    how: 'over HTTP, asking for an older revision',
    open: () => sdk1({ over: 'http', asks: '2025-03-26' }),
  },
  { ...v1, revision: '2024-11-05', how: 'over HTTP+SSE', open: () => sdk1({ over: 'sse', asks: '2024-11-05' }) },
  { ...v2, revision: '2025-11-25', how: 'over HTTP', open: () => sdk2({ over: 'http', mode: 'legacy' }) },
  {
    ...v2,
    revision: '2025-03-26',
    how: 'over HTTP, probing a server of an older revision',
    open: () => sdk2({ over: 'http', mode: 'auto', offered: ['2025-03-26'] }),
  },
  {
    ...v2,
    revision: '2024-11-05',
    how: 'over HTTP+SSE',
    open: () => sdk2({ over: 'sse', mode: 'legacy', speaks: ['2024-11-05'] }),
  },
  {
    ...v2,
    revision: STATELESS,
    how: 'over HTTP, finding the newest revision',
    open: () => sdk2({ over: 'http', mode: 'auto' }),
  },
];

const clients: readonly Calling[] = [
  ...overHttp,
  { peer: '@modelcontextprotocol/sdk', revision: '2025-11-25', how: 'as it comes', open: () => sdk1({}) },
  {
    peer: '@modelcontextprotocol/sdk',
    revision: '2025-06-18',
    how: 'offered an older revision',
    open: () => sdk1({ offered: ['2025-06-18', '2025-03-26', '2024-11-05'] }),
  },
  {
    peer: '@modelcontextprotocol/sdk',
    revision: '2025-03-26',
    how: 'asking for an older revision',
    open: () => sdk1({ asks: '2025-03-26' }),
  },
  {
    peer: '@modelcontextprotocol/sdk',
    revision: '2024-11-05',
    how: 'asking for the oldest revision',
    open: () => sdk1({ asks: '2024-11-05' }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: '2025-11-25',
    how: 'as it comes',
    open: () => sdk2({ mode: 'legacy' }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: '2025-06-18',
    how: 'speaking an older revision',
    open: () => sdk2({ mode: 'legacy', speaks: ['2025-06-18'] }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: '2025-03-26',
    how: 'probing a server of an older revision',
    open: () => sdk2({ mode: 'auto', offered: ['2025-03-26'] }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: '2024-11-05',
    how: 'speaking the oldest revision',
    open: () => sdk2({ mode: 'legacy', speaks: ['2024-11-05'] }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: STATELESS,
    how: 'finding the newest revision',
    open: () => sdk2({ mode: 'auto' }),
  },
  {
    peer: '@modelcontextprotocol/client',
    revision: STATELESS,
    how: 'pinned to the newest revision',
    open: () => sdk2({ mode: { pin: STATELESS } }),
  },
];

describe.each(clients)('$peer, $how ($revision)', ({ peer, revision, how, open, lacks, faults }) => {
  const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'client', how, revision, lacks, faults });
  const structured = revision >= '2025-06-18';
  let client: PeerClient;

  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client.close());

  const text = async (name: string, args?: Record<string, unknown>): Promise<string | undefined> => {
    const { content, isError } = await client.call(name, args);
    expect(isError).not.toBe(true);
    return content[0]?.text;
  };
  const heard = (method: string): unknown[] =>
    client.heard.filter((one) => one.method === `notifications/${method}`).map(({ params }) => params);
  const all = async (kind: Parameters<PeerClient['page']>[0]): Promise<string[]> => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.page(kind, cursor);
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return names.toSorted();
  };

  check('opening', 'agrees on the revision and learns who we are', () => {
    verifies('LIFE-010', 'LIFE-011', 'LIFE-012', 'LIFE-050', 'LIFE-051');
    expect(client.revision).toBe(revision);
    expect(client.server).toMatchObject({ name: 'quay-mooring', version: '1.0.0' });
    expect(client.instructions).toBe('Berth before you unload.');
  });

  check('lists', 'walks the pages of every list', async () => {
    expect(await all('tools')).toEqual(tools);
    expect(await all('resources')).toEqual(['flag', 'log']);
    expect(await all('resourceTemplates')).toEqual(['berth']);
    expect(await all('prompts')).toEqual(['farewell', 'greet']);
  });

  check('structured output', 'accepts what a tool gives, against the schema that it was told', async () => {
    const { items } = await client.page('tools', undefined);
    expect(items.find(({ name }) => name === 'add')?.outputSchema !== undefined).toBe(structured);
    const result = await client.call('add', { a: 2, b: 3 });
    expect(result.structuredContent).toEqual(structured ? { sum: 5 } : undefined);
    // Revisions without structured content get text.
    const data = structured ? [] : [{ type: 'text', text: '{"sum":5}' }];
    expect(result.content).toEqual([{ type: 'text', text: '5' }, ...data]);
  });

  check('array output', 'accepts data that is no object, where its revision has a place for it', async () => {
    const { content, structuredContent } = await client.call('berths');
    expect(structuredContent).toEqual(revision === STATELESS ? ['north', 'south'] : undefined);
    expect(content).toEqual([{ type: 'text', text: '["north","south"]' }]);
  });

  check('content', 'takes every kind of content that its revision knows', async () => {
    const { content } = await client.call('cargo');
    const audio = revision >= '2025-03-26' ? 'audio' : 'resource';
    const link = structured ? 'resource_link' : 'text';
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', audio, link, 'resource']);
  });

  check('bad arguments', 'hears what is wrong with the arguments of a call', async () => {
    const said = await client.call('add', { a: 'two', b: 3 }).then(
      ({ content, isError }) => (isError === true ? content[0]?.text : 'it was taken'),
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
    expect(said).toMatch(/\ba\b.*number/);
  });

  check('tool error', 'sees a failure of the tool as a result', async () => {
    const { content, isError } = await client.call('fail');
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: 'text', text: 'The crane is stuck' }]);
  });

  check('unknown tool', 'is told that there is no such tool', async () => {
    verifies('TOOL-44');
    await expect(client.call('nothing')).rejects.toMatchObject({ code: -32602 });
  });

  check('progress', 'hears of every step', async () => {
    const steps: string[] = [];
    const onprogress = (step: { progress: number; total?: number | undefined; message?: string | undefined }): void => {
      steps.push(`${step.progress}/${step.total} ${step.message}`);
    };
    const counting = client.call('count', { to: 3 }, { onprogress });
    await soon(() => expect(steps).toHaveLength(3));
    await client.call('release');
    expect((await counting).content).toEqual([{ type: 'text', text: 'counted to 3' }]);
    const message = (n: number): string => (revision === '2024-11-05' ? 'undefined' : `${n} of 3`);
    expect(steps).toEqual([`1/3 ${message(1)}`, `2/3 ${message(2)}`, `3/3 ${message(3)}`]);
  });

  check('cancelling', 'stops a call that it no longer wants', async () => {
    const before = Number(await text('aborted'));
    const stop = new AbortController();
    const waiting = client.call('wait', {}, { signal: stop.signal });
    await text('aborted');
    stop.abort();
    await expect(waiting).rejects.toThrow();
    await soon(async () => expect(Number(await text('aborted'))).toBe(before + 1));
  });

  if (revision === '2025-11-25' && how.startsWith('over HTTP')) {
    check('resuming', 'comes back for an answer when we hang up', async () => {
      expect(await text('doze')).toBe('hung up and slept');
    });
  }

  check('reading', 'reads text, bytes and a template', async () => {
    expect((await client.read('quay://log')).contents[0]).toMatchObject({ uri: 'quay://log', text: 'All quiet' });
    expect((await client.read('quay://flag')).contents[0]).toMatchObject({ uri: 'quay://flag', blob: 'AQID' });
    expect((await client.read('quay://berth/7')).contents[0]).toMatchObject({ text: 'Berth 7' });
  });

  check('not found', 'is told that there is no such resource', async () => {
    verifies('RES-23');
    await expect(client.read('quay://nothing')).rejects.toMatchObject({ code: client.notFound });
  });

  check('prompt', 'gets a prompt with its argument', async () => {
    const { messages } = await client.get('greet', { who: 'Ada' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Ahoy, Ada!' } }]);
  });

  check('completion', 'completes a variable of a template', async () => {
    const ref = { type: 'ref/resource', uri: 'quay://berth/{id}' } as const;
    expect(await client.complete(ref, { name: 'id', value: 'n' })).toEqual(['north']);
  });

  check('logging', 'gets log messages of the level it asked for', async () => {
    const shout = expect.objectContaining({ level: 'warning', data: expect.anything() });
    if (revision === STATELESS) {
      await client.call('chatter');
      expect(heard('message')).toEqual([]);
      await client.call('chatter', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
    } else {
      await client.setLevel('warning');
      await client.call('chatter');
    }
    await soon(() => expect(heard('message')).toEqual([shout]));
  });

  check('changes', 'hears of changes to a resource and to the list of tools', async () => {
    await client.call('touch', { uri: 'quay://log' });
    await client.watch('quay://log');
    await client.call('touch', { uri: 'quay://flag' });
    await client.call('touch', { uri: 'quay://log' });
    await client.call('grow');
    await soon(() => expect(heard('tools/list_changed')).toHaveLength(1));
    expect(heard('resources/updated')).toEqual([expect.objectContaining({ uri: 'quay://log' })]);
    expect(await all('tools')).toEqual([...tools, 'grown'].toSorted());
  });

  if (structured) {
    check('elicitation', 'fills in a form', async () => {
      expect(JSON.parse((await text('introduce')) ?? '')).toEqual({
        action: 'accept',
        content: { name: 'Ada', crew: 3 },
      });
    });
  } else {
    check('elicitation refused', 'is not asked what its revision has no words for', async () => {
      const { isError } = await client.call('introduce');
      expect(isError).toBe(true);
    });
  }

  if (revision >= '2025-11-25') {
    check('visits', 'agrees to open a page', async () => {
      expect(await text('sign')).toBe('accept');
    });
  } else {
    check('visits refused', 'is not asked to open a page where its revision has no words for it', async () => {
      expect((await client.call('sign')).isError).toBe(true);
    });
  }

  check('sampling', 'lends its model', async () => {
    expect(await text('think')).toBe('oracle: north');
  });

  check('roots', 'says which folders are open', async () => {
    expect(await text('folders')).toBe('file:///hold');
  });

  if (revision !== STATELESS) {
    check('ping', 'gets an answer to a ping', async () => {
      expect(await client.ping()).toEqual({});
    });
  }

  check('closing', 'closes, and our process ends by itself', async () => {
    verifies('STDIO-020');
    const { pid } = client;
    // Fake time: the signal that the client would send after two seconds is never sent.
    if (pid !== null) vi.useFakeTimers({ toFake: ['setTimeout'] });
    await client.close().finally(() => vi.useRealTimers());
    expect(pid === null || isRunning(pid)).toBe(false);
  });
});
