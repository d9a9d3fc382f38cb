/**
 * Plays the transcripts of each revision against our server, and against our client where a client sends such messages.
 * `UPDATE_TRANSCRIPTS=1` records the server's messages again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../../scripts/files.ts';
import type { Client } from '../../src/client/index.ts';
import { type ConnectOptions, connect } from '../../src/connect/index.ts';
import type { Message } from '../../src/jsonrpc/message.ts';
import { nextTurn } from '../../src/peer/runtime.ts';
import { fakeUser, parseTranscript, playClient, playServer } from '../../src/testing/index.ts';
import { createJetty } from '../fixtures/jetty.ts';
import { officialSchema } from '../support/official-schema.ts';
import type { Overheard } from '../support/tap.ts';

const files = filesUnder('src/revisions', '.jsonl');
const update = process.env['UPDATE_TRANSCRIPTS'] === '1';
const textOf = (file: string): string => readFileSync(file, 'utf8');

test.each(files)('%s is what our server says', async (file) => {
  const played = await playServer(parseTranscript(textOf(file)), createJetty(), { update });
  if (update) writeFileSync(file, played);
  expect(played).toBe(textOf(file));
});

test.each(files)('%s is what the official schema allows', (file) => {
  const schema = officialSchema(revisionOf(file));
  const faults = overheard(file).flatMap((entry) => schema.faultsOf(entry));
  expect(faults).toEqual([]);
});

const revisionOf = (file: string): string => basename(dirname(dirname(file)));

/** The messages of a transcript, each response with its method. Invalid messages of clients are omitted. */
function overheard(file: string): Overheard[] {
  const methods = new Map<unknown, string>();
  const lines = parseTranscript(textOf(file)).flatMap(
    ({ side, content }) =>
      side === '#' ? [] : [content].flat().map((message) => ({ side, message: message as Message })), // one, or a batch
  );
  return lines
    .map(({ side, message }): Overheard => {
      if ('method' in message && 'id' in message) methods.set(`${side}${message.id}`, message.method);
      const answers = 'method' in message ? undefined : methods.get(`${side === '>' ? '<' : '>'}${message.id}`);
      return answers === undefined ? { side, message } : { side, message, answers };
    })
    .filter(({ side }) => side === '<' || basename(file) !== 'errors.jsonl');
}

interface Drive {
  options?(revision: string): ConnectOptions;
  run(client: Client): Promise<unknown>;
}

const said = ({ text }: { readonly text: string }): string => text;

/** What the client does in each conversation, by name. */
const drives: ReadonlyMap<string, Drive> = new Map<string, Drive>(
  Object.entries({
    handshake: { run: (client) => client.ping() },
    discover: { run: (client) => Promise.resolve(expect(client.server.instructions).toBe('Mind the gap.')) },
    tools: {
      run: async (client) => {
        // The client lists tools, to check structured content against the output schema.
        expect(said(await client.call('tide', { port: 'Kiel' }))).toContain('3 m');
        if (client.server.revision < '2025-06-18') await client.list('tools').all();
        expect(said(await client.call('berths'))).toBe('["A1","A2"]');
        const reported: number[] = [];
        await client.call('load', undefined, { onProgress: ({ progress }) => reported.push(progress) });
        expect(reported).toEqual([1, 2]);
      },
    },
    resources: {
      run: async (client) => {
        expect((await client.list('resources').all()).map(({ uri }) => uri)).toEqual(['jetty://log']);
        expect((await client.list('templates').all()).map(({ name }) => name)).toEqual(['ship']);
        expect(said(await client.read('jetty://log'))).toBe('All quiet');
        expect(said(await client.read('jetty://ships/beagle'))).toBe('{"name":"beagle"}');
        await expect(client.read('jetty://ships/titanic')).rejects.toMatchObject({ reason: 'resource-not-found' });
        const ref = { type: 'ref/resource', uri: 'jetty://ships/{name}' } as const;
        expect(await client.complete(ref, { name: 'name', value: 'b' })).toMatchObject({ values: ['beagle'] });
      },
    },
    prompts: {
      run: async (client) => {
        expect((await client.list('prompts').all()).map(({ name }) => name)).toEqual(['report']);
        expect((await client.getPrompt('report', { ship: 'beagle' })).messages).toHaveLength(1);
        const ref = { type: 'ref/prompt', name: 'report' } as const;
        expect(await client.complete(ref, { name: 'ship', value: 'a' })).toMatchObject({ values: ['albatross'] });
      },
    },
    elicitation: {
      options: () => {
        const answers = [
          { action: 'accept', content: { ship: 'Beagle', berth: 'b', nights: 2 } },
          { action: 'decline' },
        ] as const;
        let asked = 0;
        return { elicit: () => answers[asked++] ?? { action: 'cancel' } };
      },
      run: async (client) => {
        const told = [await client.call('register').then(said, (error: Error) => error.message)];
        if (client.server.revision >= '2025-06-18') told.push(said(await client.call('register')));
        expect(told.at(-1)).toMatch(/Not registered: decline|does not support/);
      },
    },
    sampling: {
      options: () => ({ sample: { create: fakeUser().samples('Roses are red').sample.create } }),
      run: async (client) => expect(said(await client.call('poem'))).toContain('Roses are red'),
    },
    roots: {
      options: () => ({ roots: [{ uri: 'file:///home/ada', name: 'Home' }] }),
      run: async (client) => expect(said(await client.call('folders'))).toBe('file:///home/ada'),
    },
    logging: {
      options: (revision) => (revision >= '2026-07-28' ? { logLevel: 'error' } : {}),
      run: async (client) => {
        if (client.server.revision < '2026-07-28') await client.setLogLevel('error');
        await client.call('horn');
        if (client.server.revision >= '2026-07-28') return;
        await client.setLogLevel('info');
        await client.call('horn');
      },
    },
    subscriptions: {
      run: async (client) => {
        const watch = client.watch({ resources: ['jetty://log'] });
        await watch.granted;
        await client.call('write');
        for await (const news of watch) {
          expect(news).toEqual({ kind: 'resource', uri: 'jetty://log' });
          break;
        }
        // The subscription ends concurrently.
        for (let i = 0; i < 10; i++) await nextTurn();
        await client.call('write');
      },
    },
    cancellation: {
      run: async (client) => {
        const abort = new AbortController();
        const onProgress = (): void => abort.abort(new Error('No longer needed'));
        const call = client.call('wait', undefined, { signal: abort.signal, onProgress });
        await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
        await client.call('load');
      },
    },
  } satisfies Record<string, Drive>),
);

describe.skipIf(update)('our client', () => {
  const driven = files.filter((file) => drives.has(basename(file, '.jsonl')));
  test.each(driven)('says what is in %s', async (file) => {
    const drive = drives.get(basename(file, '.jsonl'));
    const revision = revisionOf(file);
    await playClient(parseTranscript(textOf(file)), async (transport) => {
      await using client = await connect(transport, {
        name: 'transcript',
        version: '1.0.0',
        onWarning: () => undefined,
        ...drive?.options?.(revision),
        revisions: [revision],
      });
      await drive?.run(client);
    });
  });
});
