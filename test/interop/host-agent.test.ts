/** Agents of our host with the published reference servers, as child processes and over HTTP, with an audit log. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentEvent,
  createHost,
  type Host,
  type HostOptions,
  ndjsonAudit,
  readAudit,
  rules,
  type ScriptLine,
  scriptedModel,
  verifyAudit,
} from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { verifies } from '../support/verifies.ts';
import { type PeerServer, published } from './peer-server.ts';
import { soon } from './soon.ts';

const program = (name: string): string =>
  new URL(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url).pathname;
const child = (name: string, ...args: readonly string[]): { command: string; args: readonly string[] } => ({
  command: process.execPath,
  args: [program(name), ...args],
});
let calls = 0;
const use = (name: string, input: JsonObject = {}): ScriptLine => [
  { type: 'tool_use', id: `c${++calls}`, name, input },
];

let folder: string;
let far: PeerServer;
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-agent-'));
  await writeFile(join(folder, 'notes.txt'), 'Ada likes ships');
  far = await published(program('everything'), 'streamableHttp');
});

afterAll(async () => {
  far.stop();
  await rm(folder, { recursive: true });
});

function hostWith(script: readonly ScriptLine[], file: string, more: Partial<HostOptions> = {}): Host {
  return createHost({
    servers: {
      files: child('filesystem', folder),
      memory: { ...child('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      near: child('everything'),
      far: String(far.target),
    },
    policy: [
      rules.deny({ server: 'files', name: /^write_|^edit_|^move_/ }),
      rules.deny({ server: 'files', arguments: { path: /^\/etc/ } }),
      rules.ask({ server: 'memory', kind: 'tool', name: 'create_*' }),
      rules.trustAnnotationsOf('files'),
      rules.allow({ kind: ['spawn', 'connect', 'sampling', 'elicitation', 'roots'] }),
      rules.allow({ server: 'files', effects: 'read' }),
      rules.allow({ server: ['near', 'far', 'memory'] }),
    ],
    model: scriptedModel(script),
    questions: {
      form: async ({ server, values }) => {
        asked.push(`form of ${server}`);
        return { action: 'accept', content: { ...values, name: 'Ada', check: true } };
      },
    },
    roots: { near: [folder], far: [folder], files: [folder] },
    audit: ndjsonAudit(join(folder, file)),
    lockfile: join(folder, 'mcp.lock'),
    ...more,
  });
}

const textsOf = (events: readonly AgentEvent[], name: string): string[] =>
  events.flatMap((event) => (event.type === 'tool-result' && event.name === name ? [event.text] : []));

test('an agent reads, is asked back, is refused, tries again, and is done', async () => {
  verifies('HOST-1', 'HOST-6', 'HOST-12', 'SEEDF-22');
  const path = join(folder, 'notes.txt');
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes ships'] }];
  const host = hostWith(
    [
      use('files__read_text_file', { path }),
      use('files__write_file', { path, content: 'gone' }),
      use('files__read_text_file', { path: '/etc/hostname' }),
      use('memory__create_entities', { entities }),
      use('memory__create_entities', { entities }),
      use('near__trigger-elicitation-request'),
      use('far__trigger-sampling-request', { prompt: 'Greet Ada', maxTokens: 20 }),
      'Ahoy, Ada',
      use('far__get-roots-list'),
      'All is noted.',
    ],
    'audit.ndjson',
    {
      consent: ({ act }) => {
        asked.push(`${act.kind} ${act.name}`);
        return { allow: asked.filter((one) => one === 'tool create_entities').length > 1, reason: 'not yet' };
      },
    },
  );
  await using session = host.session({ principal: 'ada' });
  // These servers add tools after they know the client's capabilities.
  const late = ['near.trigger-elicitation-request', 'far.trigger-sampling-request', 'far.get-roots-list'];
  await soon(async () => expect((await session.tools()).map(({ name }) => name)).toEqual(expect.arrayContaining(late)));
  const events: AgentEvent[] = [];
  for await (const event of session.run('Note what Ada likes')) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'done', text: 'All is noted.' });
  expect(textsOf(events, 'files.read_text_file')).toEqual(['Ada likes ships']);
  const refused = events.flatMap((event) => (event.type === 'denied' ? [`${event.name}: ${event.why}`] : []));
  expect(refused).toEqual([
    expect.stringContaining('files.write_file: '),
    expect.stringContaining('files.read_text_file: '),
    expect.stringContaining('memory.create_entities: the user declined: not yet'),
  ]);
  expect(asked).toEqual(['tool create_entities', 'tool create_entities', 'form of near']);
  expect(await readFile(path, 'utf8')).toBe('Ada likes ships');
  expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('likes ships');
  expect(textsOf(events, 'near.trigger-elicitation-request').join()).toContain('Ada');
  expect(textsOf(events, 'far.trigger-sampling-request').join()).toContain('Ahoy, Ada');
  expect(textsOf(events, 'far.get-roots-list').join()).toContain(folder);
  expect(session.messages.length).toBeGreaterThan(10);
  await host.close();

  expect(await verifyAudit(join(folder, 'audit.ndjson'))).toMatchObject({ ok: true });
  const allowed = new Set<string>();
  let acts = 0;
  for await (const { act, phase, allowed: may } of readAudit(join(folder, 'audit.ndjson'))) {
    if (phase === 'decided') acts++;
    if (may) allowed.add(`${act.kind} ${act.server}`);
  }
  expect(acts).toBeGreaterThan(12);
  expect([...allowed]).toEqual(
    expect.arrayContaining(['spawn files', 'connect far', 'sampling far', 'elicitation near']),
  );
}, 60_000);

test('an agent is cancelled in the middle of a call, as a child and over HTTP; the servers live on, and the audit holds', async () => {
  const wait = { duration: 60, steps: 60 };
  const host = hostWith(
    ['near', 'far'].flatMap((label) => [use(`${label}__trigger-long-running-operation`, wait)]),
    'called-off.ndjson',
  );
  await using session = host.session();
  for (const label of ['near', 'far']) {
    const stop = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of session.run('Wait', { signal: stop.signal })) {
      events.push(event);
      if (event.type === 'tool-start') stop.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'MCP_CANCELLED' } });
    expect((await session.call(`${label}.echo`, { message: 'still here' })).text).toContain('still here');
  }
  await host.close();
  expect([...host.servers.values()].every(({ state }) => state === 'stopped')).toBe(true);
  expect(await verifyAudit(join(folder, 'called-off.ndjson'))).toMatchObject({ ok: true });
}, 60_000);
