/** Questions of servers to the host's model, user and folders, through the gate, in every revision that can ask. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AuditRecord } from '../../src/host/audit/audit.ts';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import type { ConsentAnswer, ConsentQuestion } from '../../src/host/consent/consent.ts';
import { createHost } from '../../src/host/create-host.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import type { ModelRequest } from '../../src/host/models/model.ts';
import { type ScriptLine, scriptedModel } from '../../src/host/models/scripted.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { FormQuestion, QuestionHandler } from '../../src/host/questions/question-handler.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { CreateMessageParams } from '../../src/model/sampling.ts';
import { revisions } from '../../src/revisions/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { eventually } from '../support/children.ts';
import { FakeServer } from '../support/fake-server.ts';
import { listening } from '../support/listening.ts';
import { verifies } from '../support/verifies.ts';

const all = revisions.map(({ id }) => id).toReversed();
const since = (first: string): readonly string[] => all.filter((id) => id >= first);

const ask: CreateMessageParams = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Name a colour' } }],
  maxTokens: 50,
};

/** A server whose tools ask the given questions. */
const asker = (revision: string, url = 'https://pay.example.test/start?id=1'): Server =>
  createServer({
    name: 'asker',
    version: '1',
    revisions: [revision],
    onWarning: () => undefined,
    parts: [
      tool({
        name: 'paint',
        description: 'Asks a model',
        input: z.object({ params: z.record(z.string(), z.unknown()).optional() }),
        run: async ({ params }, ctx) => {
          const { content, model } = await ctx.sample('colour', { ...ask, ...params });
          return `${model}: ${JSON.stringify(content)}`;
        },
      }),
      tool({
        name: 'register',
        description: 'Asks the user',
        run: async (_, ctx) => {
          const form = z.object({ name: z.string().min(2), password: z.string().default('none') });
          return JSON.stringify(await ctx.ask('who', 'Who are you? The harbour master wants to know.', form));
        },
      }),
      tool({
        name: 'pay',
        description: 'Sends the user to a page',
        run: async (_, ctx) => JSON.stringify(await ctx.ask('pay', 'Please pay the fee.', { url })),
      }),
      tool({
        name: 'folders',
        description: 'Asks for folders',
        run: async (_, ctx) => JSON.stringify(await ctx.roots()),
      }),
      tool({
        name: 'echo',
        description: 'Says it again',
        input: z.object({ text: z.string() }),
        run: ({ text }) => `echo ${text}`,
      }),
    ],
  });

const base = [rules.allow({ kind: ['connect', 'spawn', 'tool'] })];

interface Staged extends AsyncDisposable {
  readonly host: Host;
  readonly records: readonly AuditRecord[];
  readonly asked: readonly ConsentQuestion[];
  call(name: string, args?: JsonObject): Promise<string>;
}

type Answer = (question: ConsentQuestion) => ConsentAnswer;

function stage(
  revision: string,
  options: Partial<HostOptions> & { readonly answer?: Answer; readonly url?: string } = {},
): Staged {
  const audit = memoryAudit();
  const asked: ConsentQuestion[] = [];
  const { answer = () => ({ allow: true }), url, ...rest } = options;
  const host = createHost({
    servers: { harbour: asker(revision, url), other: asker(revision) },
    policy: base,
    audit,
    health: false,
    onWarning: () => undefined,
    consent: (question) => {
      asked.push(question);
      return answer(question);
    },
    ...rest,
  });
  const session = host.session({ principal: 'ada' });
  return {
    host,
    records: audit.records,
    asked,
    call: async (name, args = {}) => {
      const { text, isError } = await session.call(name, args);
      return isError ? `failed: ${text}` : text;
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
}

const refusals = async (calling: Promise<string>): Promise<string> => calling.catch((error: unknown) => String(error));

describe.each(all)('sampling in %s', (revision) => {
  test('is reviewed before the model is asked, and again before the server gets the answer', async () => {
    verifies('SAMP-5', 'SAMP-6', 'SAMP-8', 'SAMP-36', 'SEC-003', 'HOST-5', 'HOST-26', 'HOST-27');
    const model = scriptedModel(['Green']);
    await using staged = stage(revision, { model });
    expect(await staged.call('harbour.paint')).toContain('Green');
    expect(staged.asked.map(({ act }) => [act.kind, act.name, act.server, act.principal])).toEqual([
      ['sampling', 'request', 'harbour', 'ada'],
      ['sampling', 'answer', 'harbour', 'ada'],
    ]);
    expect(staged.asked[0]?.act.arguments).toMatchObject({ messages: ask.messages, maxTokens: 50, model: 'scripted' });
    expect(staged.asked[1]?.act.arguments).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Green' },
    });
  });

  test('may be changed on both ways, and that is marked', async () => {
    verifies('SAMP-7', 'SAMP-14', 'HOST-27');
    const model = scriptedModel(['Green']);
    const answer: Answer = ({ act }) => {
      const content = { type: 'text', text: act.name === 'request' ? 'Name a metal' : 'Iron' };
      const changed = act.name === 'request' ? { messages: [{ role: 'user', content }] } : { content };
      return { allow: true, arguments: { ...act.arguments, ...changed } };
    };
    await using staged = stage(revision, { model, answer });
    const told = await staged.call('harbour.paint');
    expect(told).toContain('Iron');
    expect(told).not.toContain('Green');
    expect(model.requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'Name a metal' }]);
    const edits = staged.records.filter(({ act, phase }) => act.kind === 'sampling' && phase === 'decided');
    expect(edits.map(({ consent }) => consent?.edited)).toEqual([true, true]);
  });

  test.each(['request', 'answer'])('is refused to the server when the %s is', async (which) => {
    verifies('SAMP-5', 'SEC-003', 'HOST-26');
    const model = scriptedModel(['Green']);
    await using staged = stage(revision, { model, answer: ({ act }) => ({ allow: act.name !== which }) });
    expect(await refusals(staged.call('harbour.paint'))).not.toContain('Green');
    expect(model.requests.length).toBe(which === 'request' ? 0 : 1);
  });

  test('is refused by a rule before anybody is asked or anything is spent', async () => {
    const model = scriptedModel(['Green']);
    await using staged = stage(revision, { model, policy: [...base, rules.deny({ kind: 'sampling' })] });
    expect(await refusals(staged.call('harbour.paint'))).not.toContain('Green');
    expect([staged.asked, model.requests]).toEqual([[], []]);
  });
});

const quiet = [...base, rules.allow({ kind: 'sampling' })];
const last = all.at(-1) ?? '';

async function sampled(
  params: JsonObject,
  options: Partial<HostOptions> & { script?: readonly ScriptLine[] } = {},
): Promise<ModelRequest | undefined> {
  const { script = ['Green'], ...rest } = options;
  const model = scriptedModel(script, [
    { name: 'small-fast', cost: 1, speed: 1 },
    { name: 'Large-Wise', intelligence: 1 },
    { name: 'small-wise', intelligence: 0.5, cost: 0.5 },
  ]);
  await using staged = stage(last, { model, policy: quiet, ...rest });
  await refusals(staged.call('harbour.paint', { params }));
  return model.requests[0];
}

describe('a model', () => {
  test('gets no more tokens than the server asked for, and the host allows', async () => {
    verifies('SAMP-15');
    expect((await sampled({ maxTokens: 20 }))?.maxTokens).toBe(20);
    expect((await sampled({ maxTokens: 1_000_000 }))?.maxTokens).toBe(4_096);
    expect((await sampled({ maxTokens: 1_000 }, { sampling: { maxTokens: 300 } }))?.maxTokens).toBe(300);
    const grown = await sampled(
      { maxTokens: 20 },
      { policy: base, consent: ({ act }) => ({ allow: true, arguments: { ...act.arguments, maxTokens: 9_999 } }) },
    );
    expect(grown?.maxTokens).toBe(20);
  });

  test.each([
    [
      'the first hint that fits, not the best',
      { hints: [{ name: 'unknown' }, { name: 'large' }, { name: 'small' }], costPriority: 1 },
      'Large-Wise',
    ],
    [
      'of those that fit a hint, what matters to the server',
      { hints: [{ name: 'small' }], intelligencePriority: 1 },
      'small-wise',
    ],
    [
      'without hints that fit, what matters',
      { hints: [{ name: 'unknown' }, {}], intelligencePriority: 1 },
      'Large-Wise',
    ],
    ['without wishes, the default', {}, 'small-fast'],
    ['when all are equal, the default', { hints: [{ name: 'a' }] }, 'small-fast'],
  ])('is chosen by %s', async (_what, modelPreferences, name) => {
    verifies('SAMP-29', 'SAMP-30', 'SAMP-31', 'SAMP-38');
    expect((await sampled({ modelPreferences }))?.model).toBe(name);
  });

  const tools = [{ name: 'mix', description: 'Mixes', inputSchema: { type: 'object' } }];
  const used: ScriptLine = [{ type: 'tool_use', id: 't1', name: 'mix', input: {} }];

  test.each(['auto', 'required', 'none'] as const)('is told that tools are %s', async (mode) => {
    verifies('SAMP-24');
    expect(await sampled({ tools, toolChoice: { mode } })).toMatchObject({ toolChoice: mode, tools });
    expect((await sampled({ tools }))?.toolChoice).toBe('auto');
  });

  test('that uses tools although it must not, or none although it must, is not used', async () => {
    verifies('SAMP-24');
    const run = async (line: ScriptLine, mode: string): Promise<string> => {
      await using staged = stage(last, { model: scriptedModel([line]), policy: quiet });
      return await refusals(staged.call('harbour.paint', { params: { tools, toolChoice: { mode } } }));
    };
    expect(await run(used, 'none')).not.toContain('tool_use');
    expect(await run('Green', 'required')).not.toContain('Green');
    expect(await run(used, 'required')).toContain('tool_use');
  });

  test('is given results of tools ten times in a row and no more', async () => {
    verifies('SAMP-23');
    const rounds = (count: number): JsonObject => ({
      tools,
      messages: [
        ...ask.messages,
        ...Array.from({ length: count }, (_, i) => [
          { role: 'assistant', content: { type: 'tool_use', id: `t${i}`, name: 'mix', input: {} } },
          {
            role: 'user',
            content: { type: 'tool_result', toolUseId: `t${i}`, content: [{ type: 'text', text: 'mixed' }] },
          },
        ]).flat(),
      ],
    });
    expect((await sampled(rounds(9)))?.messages.length).toBe(19);
    expect(await sampled(rounds(10))).toBeUndefined();
  });
});

test('a server may ask a model ten times a minute, and others are none the poorer', async () => {
  verifies('SAMP-39');
  const clock = virtualClock();
  const model = scriptedModel(Array.from({ length: 30 }, () => 'Green'));
  await using staged = stage(last, { model, policy: quiet, clock });
  for (let i = 0; i < 12; i++) await refusals(staged.call('harbour.paint'));
  expect(model.requests.length).toBe(10);
  await staged.call('other.paint');
  expect(model.requests.length).toBe(11);
  await clock.advance(60_000);
  await staged.call('harbour.paint');
  expect(model.requests.length).toBe(12);
});

test('a server has four questions to a model open at most', async () => {
  verifies('SAMP-39');
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const line: ScriptLine = async () => {
    await held;
    return 'Green';
  };
  const model = scriptedModel(Array.from({ length: 6 }, () => line));
  await using staged = stage(last, { model, policy: quiet });
  let refused = 0;
  const asking = Array.from({ length: 6 }, async () => {
    const answer = await refusals(staged.call('harbour.paint'));
    if (!answer.includes('Green')) refused++;
    return answer;
  });
  await eventually('two are refused', () => refused === 2 && model.requests.length === 4);
  release();
  const answers = await Promise.all(asking);
  expect(answers.filter((one) => one.includes('Green')).length).toBe(4);
  expect(model.requests.length).toBe(4);
});

test('tokens that were spent count against a budget', async () => {
  verifies('SAMP-39');
  const reply: ScriptLine = {
    model: 'm',
    content: [{ type: 'text', text: 'Green' }],
    stopReason: 'endTurn',
    usage: { inputTokens: 400, outputTokens: 300 },
  };
  const model = scriptedModel([reply, reply, reply]);
  const policy = [
    ...base,
    rules.budget({ kind: 'sampling' }, { tokens: 1_000, per: 'session' }),
    rules.allow({ kind: 'sampling' }),
  ];
  await using staged = stage(last, { model, policy });
  for (let i = 0; i < 3; i++) await refusals(staged.call('harbour.paint'));
  expect(model.requests.length).toBe(2);
});

test('secrets in what a model is asked or says are pointed out, and not written down', async () => {
  verifies('SAMP-40');
  const secret = 'sk-live-abcdefghijklmnop1234';
  const params = { messages: [{ role: 'user', content: { type: 'text', text: `My key is ${secret}` } }] };
  await using staged = stage(last, { model: scriptedModel([`Use ${secret}`]) });
  await staged.call('harbour.paint', { params });
  expect(staged.asked.map(({ warnings }) => warnings.some((one) => one.includes('secret')))).toEqual([true, true]);
  const sampling = staged.records.filter(({ act }) => act.kind === 'sampling');
  expect(sampling.length).toBe(4);
  expect(JSON.stringify(sampling)).not.toContain(secret);
});

test.each<[string, HostOptions['policy'], boolean, boolean]>([
  ['thisServer', quiet, true, false],
  ['allServers', quiet, true, true],
  ['allServers', base, true, false],
  ['allServers', [rules.noFlow('other', 'harbour'), ...quiet], true, false],
  ['none', quiet, false, false],
])(
  '%s includes what was exchanged, and of others only what a rule lets flow',
  async (includeContext, policy = [], own, foreign) => {
    const model = scriptedModel(['Green']);
    await using staged = stage(last, { model, policy });
    await staged.call('harbour.echo', { text: 'the tide is in' });
    await staged.call('other.echo', { text: 'the safe is open' });
    await staged.call('harbour.paint', { params: { includeContext } });
    const system = model.requests[0]?.system ?? '';
    expect([system.includes('the tide is in'), system.includes('the safe is open')]).toEqual([own, foreign]);
    const carried = staged.records.filter(({ act }) => act.kind === 'sampling').map(({ act }) => act.carries);
    expect(carried).toEqual(Array.from({ length: 4 }, () => (foreign ? ['other'] : [])));
  },
);

/** Fills forms with the given values. */
function clerk(
  ...answers: Awaited<ReturnType<QuestionHandler['form']>>[]
): QuestionHandler & { readonly seen: FormQuestion[]; readonly opened: string[] } {
  const [seen, opened]: [FormQuestion[], string[]] = [[], []];
  return {
    seen,
    opened,
    form: async (question) => {
      seen.push(question);
      return answers[seen.length - 1] ?? { action: 'cancel' };
    },
    open: async (url) => void opened.push(url),
  };
}

const filled = { action: 'accept', content: { name: 'Ada' } } as const;

describe.each(since('2025-06-18'))('forms in %s', (revision) => {
  test('name who asks and why, warn of secrets, and are reviewed and changed before they are sent', async () => {
    verifies('ELIC-10', 'ELIC-11', 'ELIC-13', 'ELIC-51');
    const questions = clerk(filled);
    const answer: Answer = ({ act }) => ({
      allow: true,
      arguments: { ...act.arguments, content: { name: 'Augusta', password: 'none' } },
    });
    await using staged = stage(revision, { questions, answer });
    expect(await staged.call('harbour.register')).toContain('Augusta');
    expect(questions.seen[0]).toMatchObject({
      server: 'harbour',
      message: 'Who are you? The harbour master wants to know.',
    });
    expect(questions.seen[0]?.warnings.join()).toContain('password');
    expect(staged.asked.length).toBe(1);
    // One revision has no default values for text.
    expect(staged.asked[0]).toMatchObject({
      editable: true,
      act: { kind: 'elicitation', arguments: { action: 'accept', content: { name: 'Ada' } } },
    });
  });

  test.each(['decline', 'cancel'] as const)('can be left with %s, and nothing is sent', async (action) => {
    verifies('ELIC-10', 'ELIC-12', 'ELIC-49');
    const questions = clerk({ action, content: { name: 'Ada' } });
    await using staged = stage(revision, { questions });
    expect(await staged.call('harbour.register')).toBe(JSON.stringify({ action, accepted: false }));
    expect(staged.asked).toEqual([]);
  });

  test('can be refused on review', async () => {
    verifies('ELIC-12', 'ELIC-49');
    await using staged = stage(revision, { questions: clerk(filled), answer: () => ({ allow: false }) });
    expect(await staged.call('harbour.register')).toBe('{"action":"decline","accepted":false}');
  });

  test('are shown again with what is wrong, and what was entered: five times', async () => {
    const wrong = { action: 'accept', content: { name: 'A' } } as const;
    const questions = clerk(wrong, filled, ...Array.from({ length: 5 }, () => wrong), filled);
    await using staged = stage(revision, { questions });
    expect(await staged.call('harbour.register')).toContain('Ada');
    expect(questions.seen[1]).toMatchObject({ fault: expect.stringContaining('name'), values: { name: 'A' } });
    expect(await staged.call('harbour.register')).toBe('{"action":"cancel","accepted":false}');
    expect(questions.seen).toHaveLength(7);
  });

  test('are not shown where a rule denies them', async () => {
    verifies('ELIC-49');
    const questions = clerk(filled);
    await using staged = stage(revision, { questions, policy: [...base, rules.deny({ kind: 'elicitation' })] });
    expect(await staged.call('harbour.register')).toBe('{"action":"decline","accepted":false}');
    expect(questions.seen).toEqual([]);
  });

  test('are shown ten times a minute at most', async () => {
    verifies('ELIC-50');
    const questions = clerk(...Array.from({ length: 20 }, () => filled));
    await using staged = stage(revision, { questions, clock: virtualClock() });
    for (let i = 0; i < 12; i++) await staged.call('harbour.register');
    expect(questions.seen.length).toBe(10);
  });
});

describe.each(since('2025-11-25'))('pages to visit in %s', (revision) => {
  test('are shown whole with their host, and opened once the user agreed', async () => {
    verifies('ELIC-14', 'ELIC-57');
    const questions = clerk();
    let before: number | undefined;
    const answer: Answer = () => {
      before = questions.opened.length;
      return { allow: true };
    };
    await using staged = stage(revision, { questions, answer });
    expect(await staged.call('harbour.pay')).toContain('accept');
    expect(staged.asked[0]).toMatchObject({
      act: {
        kind: 'visit',
        name: 'https://pay.example.test/start?id=1',
        server: 'harbour',
        arguments: { host: 'pay.example.test', message: 'Please pay the fee.' },
      },
      warnings: expect.arrayContaining(['It leads to pay.example.test.']),
    });
    expect([before, questions.opened]).toEqual([0, ['https://pay.example.test/start?id=1']]);
  });

  test.each([
    ['everything', rules.allow({})],
    ['visits', rules.allow({ kind: 'visit' })],
  ])('are asked about where a rule allows %s, and not opened without a yes', async (_what, rule) => {
    verifies('ELIC-57');
    const questions = clerk();
    const policy = [...base, rule];
    await using staged = stage(revision, { questions, policy, answer: () => ({ allow: false }) });
    expect(await staged.call('harbour.pay')).toContain('decline');
    expect(staged.asked).toMatchObject([{ act: { kind: 'visit' }, why: 'a page is opened only if you agree' }]);
    expect(questions.opened).toEqual([]);
  });

  test.each([false, true])('are never fetched by the host itself: allowed %s', async (allow) => {
    verifies('ELIC-14', 'ELIC-56', 'ELIC-57');
    let reached = 0;
    const counting = async (): Promise<Response> => new Response(`${++reached}`);
    await using page = await listening(() => counting);
    const [questions, url] = [clerk(), `${page.origin}/pay`];
    await using staged = stage(revision, { questions, url, answer: () => ({ allow }) });
    expect(await staged.call('harbour.pay')).toContain(allow ? 'accept' : 'decline');
    // Any connection would be counted.
    expect([questions.opened, reached]).toEqual([allow ? [url] : [], 0]);
    expect(await (await fetch(url)).text()).toBe('1');
  });

  test.each([
    ['http://pay.example.test/', false],
    ['http://localhost:8080/pay', true],
  ])('%s is opened: %s', async (url, opens) => {
    verifies('HOST-37');
    const questions = clerk();
    await using staged = stage(revision, { questions, url });
    await staged.call('harbour.pay');
    expect(questions.opened).toEqual(opens ? [url] : []);
    expect(staged.asked.length).toBe(opens ? 1 : 0);
  });

  test('leave the user a way on, back and out', async () => {
    verifies('ELIC-32');
    const turns: ('again' | 'done' | 'cancel')[] = ['again', 'done', 'cancel'];
    const questions = { ...clerk(), visiting: async () => turns.shift() ?? 'cancel' };
    await using staged = stage(revision, { questions });
    expect(await staged.call('harbour.pay')).toContain('accept');
    expect(questions.opened.length).toBe(2);
    expect(await staged.call('harbour.pay')).toBe('{"action":"cancel","accepted":false}');
  });
});

async function folders(): Promise<AsyncDisposable & { readonly at: string }> {
  const at = await realpath(await mkdtemp(join(tmpdir(), 'roots-')));
  await mkdir(join(at, 'open'));
  await mkdir(join(at, 'spare'));
  await writeFile(join(at, 'file'), '');
  await symlink(join(at, 'open'), join(at, 'link'));
  return { at, [Symbol.asyncDispose]: () => rm(at, { recursive: true, force: true }) };
}

const uriOf = (...path: readonly string[]): string => pathToFileURL(join(...path)).href;

describe.each(all)('folders in %s', (revision) => {
  test('are shown to the server they were named for, by their true names, if they are there, after consent', async () => {
    verifies('ROOT-18', 'ROOT-20', 'HOST-19');
    await using place = await folders();
    const { at } = place;
    const paths = [
      join(at, 'link'),
      join(at, 'open'),
      join(at, 'missing'),
      join(at, 'file'),
      join(at, 'open', '..', 'spare'),
    ];
    await using staged = stage(revision, { roots: { harbour: paths } });
    expect(JSON.parse(await staged.call('harbour.folders'))).toEqual([
      { uri: uriOf(at, 'open'), name: 'open' },
      { uri: uriOf(at, 'spare'), name: 'spare' },
    ]);
    expect(staged.asked.map(({ act }) => [act.kind, act.server])).toEqual([['roots', 'harbour']]);
    expect(await refusals(staged.call('other.folders'))).not.toContain(at);
  });

  test('are kept back when the user says no, and only fewer when they change it', async () => {
    verifies('ROOT-12', 'ROOT-18');
    await using place = await folders();
    const { at } = place;
    const roots = { harbour: [join(at, 'open'), join(at, 'spare')] };
    const told = async (answer: Answer): Promise<string> => {
      await using staged = stage(revision, { roots, answer });
      return await refusals(staged.call('harbour.folders'));
    };
    expect(await told(() => ({ allow: false }))).not.toContain(at);
    const first = { uri: uriOf(at, 'open'), name: 'open' };
    expect(await told(() => ({ allow: true, arguments: { roots: [first] } }))).toBe(JSON.stringify([first]));
    expect(await told(() => ({ allow: true, arguments: { roots: [{ uri: 'file:///etc' }] } }))).not.toContain('/etc');
  });
});

describe.each(all.filter((id) => id < '2026-07-28'))('news of folders in %s', (revision) => {
  test('goes out when others are named, and when one is gone', async () => {
    verifies('ROOT-13', 'ROOT-19', 'ROOT-20');
    await using place = await folders();
    const { at } = place;
    const clock = virtualClock();
    const fake = new FakeServer({ revision });
    const policy = [...base, rules.allow({ kind: 'roots' })];
    const roots = { harbour: [join(at, 'open')] };
    await using host = createHost({
      servers: { harbour: fake.transport },
      roots,
      policy,
      clock,
      health: false,
      onWarning: () => undefined,
    });
    const news = (): number => fake.params('notifications/roots/list_changed').length;
    await host.servers.get('harbour')?.connect();
    await host.roots('harbour').set([join(at, 'spare')]);
    expect(news()).toBe(0);
    const spare = { uri: uriOf(at, 'spare'), name: 'spare' };
    expect(await fake.line.ask('roots/list')).toMatchObject({ result: { roots: [spare] } });

    await host.roots('harbour').set([join(at, 'open'), join(at, 'spare')]);
    expect(news()).toBe(1);
    expect(await fake.line.ask('roots/list')).toMatchObject({ result: { roots: [{ name: 'open' }, spare] } });

    await clock.advance(10_000);
    await rm(join(at, 'open'), { recursive: true });
    await eventually('the server hears of it', () => {
      void clock.advance(10_000);
      return news() === 2;
    });
    expect(await fake.line.ask('roots/list')).toMatchObject({ result: { roots: [spare] } });
    expect(host.roots('harbour').paths.length).toBe(2);
    expect(() => host.roots('other')).toThrow(/empty list/);
  });
});
