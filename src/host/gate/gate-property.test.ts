/**
 * Property test: for random acts, orders and answers of the user, no byte is sent to a server without a record that allows it. The
 * property fails for each deliberately broken guard, which shows that the test detects violations.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { FakeServer, type Handler } from '../../../test/support/fake-server.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { type Overheard, tap } from '../../../test/support/tap.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client } from '../../client/client.ts';
import { openClient } from '../../client/open-client.ts';
import {
  isFailure,
  isNotification,
  isObject,
  isRequest,
  type JsonObject,
  type Message,
  type RpcRequest,
} from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Transport } from '../../peer/exchange.ts';
import { revisions } from '../../revisions/index.ts';
import type { Act, ActKind } from '../act/act.ts';
import { bindingOf } from '../act/binding.ts';
import type { Rule } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import type { ConsentAnswer } from '../consent/consent.ts';
import { leaseTransport } from '../lease/lease-layer.ts';
import { Leases } from '../lease/leases.ts';
import { appRule } from '../policy/app-rule.ts';
import { rules } from '../policy/rules.ts';
import { GateKeeper } from './gate-keeper.ts';

const labels = ['mail', 'web'] as const;
const names = ['read', 'send', 'render'] as const;
const values = [{}, { to: 'ada' }, { to: 'eve', text: 'secret' }, { to: ['ada', { cc: 'eve' }] }] as const;
const asked = {
  name: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: form() } },
};

function form(): JsonObject {
  return { type: 'object', properties: { name: { type: 'string' } } };
}

/** One attempted act. */
interface Step {
  readonly server: (typeof labels)[number];
  readonly kind: 'tool' | 'resource' | 'prompt' | 'extension' | 'message' | 'context';
  /** Whether a view requests the act. Its messages and model context send nothing to the server. */
  readonly by: 'app' | undefined;
  readonly name: (typeof names)[number];
  readonly args: JsonObject;
  /**
   * How it is sent: through the gate unchanged; with other arguments or other `_meta`; twice; after the act ended; to another server; as a
   * task; without the gate; or requested by the server.
   */
  readonly how: (typeof ways)[number];
  /** The `_meta` of the request. */
  readonly meta: JsonObject | undefined;
  /** The user's answer, if asked. */
  readonly answer: 'yes' | 'no' | 'edit' | 'throw' | 'foreign' | 'always' | 'meddle' | 'unspeakable';
  /** How the definition changes while the user is asked. */
  readonly meanwhile: 'nothing' | 'changes' | 'vanishes' | 'moves';
  /** Whether the user's answer to the server's question passes the gate. */
  readonly cleared: boolean;
}

const honest = ['honest', 'honest', 'honest', 'task'] as const;
const dishonest = ['other', 'noted', 'twice', 'late', 'elsewhere', 'behind'] as const;
const ways = [...honest, ...dishonest, 'asked', 'open', 'end'] as const;
const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

const step: fc.Arbitrary<Step> = fc.record({
  server: fc.constantFrom(...labels),
  kind: fc.constantFrom('tool', 'tool', 'resource', 'prompt', 'extension', 'message', 'context'),
  by: fc.constantFrom(undefined, undefined, 'app'),
  name: fc.constantFrom(...names),
  args: fc.constantFrom(...values),
  how: fc.constantFrom(...ways),
  meta: fc.constantFrom(undefined, undefined, trace, { 'example.test/note': 'psst' }),
  answer: fc.constantFrom('yes', 'yes', 'no', 'edit', 'throw', 'foreign', 'always', 'meddle', 'unspeakable'),
  meanwhile: fc.constantFrom('nothing', 'nothing', 'nothing', 'changes', 'vanishes', 'moves'),
  cleared: fc.boolean(),
});

const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc
    .tuple(fc.constantFrom(rules.allow, rules.ask, rules.deny), fc.constantFrom(...labels))
    .map(([make, server]) => make({ server })),
  fc
    .tuple(
      fc.constantFrom(rules.allow, rules.ask, rules.deny),
      fc.constantFrom<ActKind[]>(['connect'], ['tool', 'resource'], ['prompt'], ['extension'], ['elicitation']),
    )
    .map(([make, kind]) => make({ kind })),
  fc
    .tuple(fc.constantFrom(rules.allow, rules.deny), fc.constantFrom(...names))
    .map(([make, name]) => make({ name: `*${name}*` })),
  fc.constantFrom(rules.allow, rules.ask, rules.deny).map((make) => make({ arguments: { to: /eve/ } })),
  fc.constantFrom(rules.allow, rules.ask).map((make) => make({ kind: 'resource', name: 'X://read' })),
  fc.integer({ min: 0, max: 3 }).map((calls) => rules.budget({ kind: 'tool' }, { calls, per: 'session' })),
  fc.constant(rules.noFlow('mail', 'web', { after: 'read' })),
  fc.constantFrom(rules.allow, rules.ask, rules.deny).map((make) => make({ by: 'app' })),
);

class Stage implements AsyncDisposable {
  readonly log: (Overheard & { readonly server: string })[] = [];
  /** Each record with the number of messages sent before it. */
  readonly records: { readonly record: AuditRecord; readonly at: number }[] = [];
  readonly #gate: GateKeeper;
  readonly #clients: Map<string, Client> = new Map();
  readonly #servers: Map<string, FakeServer> = new Map();
  readonly #revision: string;
  #step: Step | undefined;
  /** Whether the user was asked about the current attempt. */
  #asked = false;
  /** Acts that ran although they had changed since the user agreed. */
  readonly outdated: Step[] = [];

  readonly #guard: Guard;

  constructor(policy: readonly Rule[], revision: string, guard: Guard) {
    this.#revision = revision;
    this.#guard = guard;
    const audit: Audit = { write: async (record) => void this.records.push({ record, at: this.log.length }) };
    const { leases } = guard;
    const withApps = [appRule(policy), ...policy];
    this.#gate = new GateKeeper({ policy: withApps, audit, leases, consent: async ({ act: of }) => this.#answer(of) });
  }

  /** Attempts an act; its outcome is in the records. */
  async try(given: Step): Promise<void> {
    const tried: Step = given.how === 'task' ? { ...given, kind: 'tool', name: 'render' } : given;
    this.#step = tried;
    this.#asked = false;
    const { server } = tried;
    if (tried.how === 'end') this.#gate.leases.endServer(server);
    const client = await this.#open(server).catch(() => undefined);
    const other =
      tried.how === 'elsewhere' ? await this.#open(server === 'mail' ? 'web' : 'mail').catch(() => undefined) : client;
    if (client === undefined || other === undefined) return;
    if (tried.how === 'asked') await this.#question(server);
    else if (tried.how !== 'open' && tried.how !== 'end') await this.#use(other, tried).catch(() => undefined);
  }

  /** Whether the end of an act was recorded before this message. */
  isOver(id: string, before: number): boolean {
    return this.records.some(
      ({ record, at }) => record.id === id && (record.phase === 'done' || record.phase === 'failed') && at <= before,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
    await this.#gate.close();
  }

  async #open(server: string): Promise<Client> {
    const known = this.#clients.get(server);
    if (known !== undefined && known.state === 'ready') return known;
    await known?.close();
    const log: Overheard[] = [];
    log.push = (...all) => this.log.push(...all.map((one) => ({ ...one, server })));
    const fake = new FakeServer({ revision: this.#revision, on: handlers });
    this.#servers.set(server, fake);
    const transport = this.#guard.around(tap(fake.transport, log), server, this.#gate.leases);
    const elicit = (): Promise<{ action: 'accept'; content: { name: string } }> => this.#elicited(server);
    const opening = act({ kind: 'connect', server, name: server, arguments: {} });
    const client = await this.#gate.pass(opening, () =>
      openClient<unknown>(transport, { revisions: [this.#revision], elicit, onWarning: () => undefined }),
    );
    this.#clients.set(server, client);
    return client;
  }

  async #elicited(server: string): Promise<{ action: 'accept'; content: { name: string } }> {
    const about = act({ kind: 'elicitation', server, name: 'Who?', arguments: accepted });
    if (this.#step?.cleared === true) await this.#gate.pass(about, async () => undefined);
    return accepted;
  }

  async #use(client: Client, { how, ...tried }: Step): Promise<void> {
    const wanted = actOf(tried);
    const meta = how === 'noted' ? { ...tried.meta, 'example.test/more': 'psst' } : tried.meta;
    const use = (args: JsonObject): Promise<unknown> => used(client, { ...wanted, meta }, args);
    if (how === 'behind') await use(wanted.arguments);
    else if (how === 'late') await (await this.#gate.pass(wanted, async (permit) => () => use(permit.arguments)))();
    else
      await this.#gate.pass(
        wanted,
        async (permit) => {
          if (this.#asked && tried.meanwhile !== 'nothing') this.outdated.push({ how, ...tried });
          if (how === 'task') return this.#asTask(client, { ...wanted, arguments: permit.arguments });
          await use(how === 'other' ? { ...permit.arguments, more: 'psst' } : permit.arguments);
          if (how === 'twice') await use(permit.arguments);
          return undefined;
        },
        { editable: tried.kind === 'tool', current: async () => this.#current(wanted) },
      );
  }

  /** Sends the act, messages about its task, and one about a task that is not its own. */
  async #asTask(client: Client, { name, arguments: args, meta }: Act): Promise<void> {
    const { taskId } = await client.request('tools/call', { name, arguments: args }, { meta });
    await client.request('tasks/get', { taskId });
    if (this.#step?.cleared === true) await this.#elicited(this.#step.server).catch(() => undefined);
    const update = { taskId, inputResponses: { name: accepted } };
    await client.request('tasks/update', update).catch(() => undefined);
    await client.request('tasks/cancel', { taskId: 'another' });
  }

  #current({ definition, fingerprint }: Act): Pick<Act, 'definition' | 'fingerprint'> | undefined {
    const meanwhile = this.#step?.meanwhile;
    if (meanwhile === 'vanishes') return undefined;
    return {
      definition: meanwhile === 'changes' ? 'another' : definition,
      fingerprint: meanwhile === 'moves' ? 'elsewhere' : fingerprint,
    };
  }

  /** Lets the server send a request, if its revision allows it. */
  async #question(server: string): Promise<void> {
    const line = this.#servers.get(server)?.line;
    void line?.ask('elicitation/create', { mode: 'form', message: 'Who?', requestedSchema: form() });
    await settled();
  }

  #answer(of: Act): ConsentAnswer {
    const how = this.#step?.answer ?? 'no';
    if (of.kind !== 'connect') this.#asked = true;
    if (how === 'meddle') meddle(of);
    if (how === 'unspeakable') return { allow: true, arguments: { n: 1n } };
    if (how === 'throw') throw new Error('the window was closed');
    if (how === 'foreign') return { allow: true, binding: bindingOf({ ...of, name: 'another' }) };
    if (how === 'edit') return { allow: true, arguments: { to: 'bob' } };
    if (how === 'always') return { allow: true, remember: { for: 'any arguments', until: 'session' } };
    return { allow: how === 'yes' || how === 'meddle' };
  }
}

/** A consent handler that tries to change the displayed act. */
function meddle(of: Act): void {
  try {
    Object.assign(of.arguments, { to: 'eve', more: 'psst' });
  } catch {
    // The act is frozen.
  }
}

const accepted = { action: 'accept', content: { name: 'Ada' } } as const;

/** The tool `send` asks for input first, and `render` becomes a task. */
const handlers: Record<string, Handler> = {
  'tools/call': ({ name, inputResponses }) => {
    if (name === 'render') return { resultType: 'task', taskId: 'task-1', content: [] };
    return name === 'send' && inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: asked, requestState: 'state', content: [] }
      : { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
  },
  'tasks/get': () => ({ resultType: 'complete', status: 'input_required', inputRequests: asked }),
  'tasks/update': () => ({ resultType: 'complete' }),
  'tasks/cancel': () => ({ resultType: 'complete' }),
  'example.test/read': () => ({ resultType: 'complete' }),
  'example.test/send': () => ({ resultType: 'complete' }),
  'resources/read': () => ({ resultType: 'complete', contents: [], ttlMs: 0, cacheScope: 'private' }),
  'prompts/get': () => ({ resultType: 'complete', messages: [] }),
};

const actOf = ({ server, kind, name, args, meta, by }: Omit<Step, 'how'>): Act => {
  const view = by === undefined ? {} : { by, view: 'ui://view' };
  if (kind === 'resource') return act({ kind, server, name: `x://${name}`, arguments: {}, meta, ...view });
  const full = kind === 'extension' ? `example.test/${name}` : name;
  return act({ kind, server, name: full, arguments: args, meta, ...view });
};

function used(client: Client, { kind, name, meta }: Act, args: JsonObject): Promise<unknown> {
  if (kind === 'tool' || kind === 'message' || kind === 'context') return client.call(name, args, { meta });
  if (kind === 'extension') return client.request(name, args, { meta });
  if (kind === 'prompt') return client.getPrompt(name, args as Record<string, string>, { meta });
  return client.read('more' in args ? `${name}/more` : name, { fresh: true, meta });
}

/** The acts in a message: its request, and each answer that it contains. */
function doneBy(server: string, message: Message, answers: string | undefined): readonly Act[] {
  const answered = (answer: unknown): Act =>
    act({ kind: 'elicitation', server, name: 'Who?', arguments: answer as JsonObject });
  if (isRequest(message)) {
    const { inputResponses = {}, requestState } = message.params ?? {};
    const given = isObject(inputResponses) ? Object.values(inputResponses).map(answered) : [];
    const asked = requestState === undefined ? requestedBy(server, message) : undefined;
    return asked === undefined ? given : [asked, ...given];
  }
  if (isNotification(message) || isFailure(message) || answers !== 'elicitation/create') return [];
  return [answered(message.result)];
}

function requestedBy(server: string, { method, params = {} }: RpcRequest): Act | undefined {
  const { _meta, ...rest } = params;
  const meta = callerMeta(_meta);
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  if (method === 'tools/call') return act({ server, name: String(params['name']), arguments: args, meta });
  if (method === 'prompts/get')
    return act({ kind: 'prompt', server, name: String(params['name']), arguments: args, meta });
  if (method === 'resources/read')
    return act({ kind: 'resource', server, name: String(params['uri']), arguments: {}, meta });
  return method.startsWith('example.test/')
    ? act({ kind: 'extension', server, name: method, arguments: rest, meta })
    : undefined;
}

function callerMeta(meta: unknown): JsonObject | undefined {
  const own = Object.entries(isObject(meta) ? meta : {}).filter(
    ([key]) => key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/'),
  );
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** A guard of the connection: the real one, or a broken one for comparison. */
interface Guard {
  readonly leases: Leases;
  around(transport: Transport, server: string, leases: Leases): Transport;
}

const whole = (leases: Leases = new Leases()): Guard => ({ leases, around: leaseTransport });

interface Run {
  /** Sent messages that a view requested. */
  readonly byViews: number;
  /** Messages without a record that allows them, and acts that ran although their definition had changed. */
  readonly faults: readonly string[];
  readonly sent: number;
  readonly tasks: number;
  readonly denied: number;
}

async function runSteps(guard: Guard, revision: string, { policy, steps }: Script): Promise<Run> {
  await using stage = new Stage(policy, revision, guard);
  for (const one of steps) await stage.try(one);
  await settled();
  const allowed = stage.records.filter(({ record }) => record.phase === 'decided' && record.allowed);
  const faults = stage.outdated.map((one) => `outdated: ${JSON.stringify(one)}`);
  const taken = new Set<string>();
  let byViews = 0;
  stage.log.forEach(({ side, message, answers, server }, at) => {
    if (side === '<') return;
    const before = allowed.filter((one) => one.at <= at).map(({ record }) => record);
    const isOpen = before.some((one) => one.act.kind === 'connect' && one.act.server === server);
    const isTask = isTaskMessage(message);
    const ownsTask = before.some(
      (one) => one.act.name === 'render' && one.act.server === server && !stage.isOver(one.id, at),
    );
    const isOther = isTask && message.params?.['taskId'] !== 'task-1';
    if (!isOpen || (isTask && !ownsTask) || isOther) faults.push(JSON.stringify(message));
    for (const done of doneBy(server, message, answers)) {
      // The record that allows this message, is not used up by an earlier one, and whose act has not ended.
      const record = before.find(
        (one) =>
          one.act.kind === done.kind &&
          !taken.has(one.id) &&
          (done.kind === 'elicitation' || !stage.isOver(one.id, at)) &&
          (done.kind === 'elicitation' || canonicalJson(one.act.meta ?? {}) === canonicalJson(done.meta ?? {})) &&
          one.binding === bindingOf({ ...done, view: one.act.view }),
      );
      if (record === undefined) faults.push(JSON.stringify(message));
      else taken.add(record.id);
      if (record?.act.by === 'app') byViews++;
    }
  });
  const tasks = stage.log.filter(({ side, message }) => side === '>' && isTaskMessage(message)).length;
  return {
    faults,
    byViews,
    sent: taken.size,
    tasks,
    denied: stage.records.filter(({ record }) => !record.allowed).length,
  };
}

const isTaskMessage = (message: Message): message is RpcRequest =>
  isRequest(message) && message.method.startsWith('tasks/');

interface Script {
  readonly policy: readonly Rule[];
  readonly steps: readonly Step[];
}

const script: fc.Arbitrary<Script> = fc.record({
  policy: fc.array(rule, { maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
});

test.each(revisions.map(({ id }) => id))(
  'no byte goes to a server without a record that allows it, in %s',
  async (revision) => {
    verifies('HOST-3', 'HOST-13', 'HOST-16', 'HOST-23');
    const total = { sent: 0, tasks: 0, denied: 0, byViews: 0 };
    const holds = fc.asyncProperty(script, async (one) => {
      const { faults, sent, tasks, denied, byViews } = await runSteps(whole(), revision, one);
      expect(faults).toEqual([]);
      total.sent += sent;
      total.tasks += tasks;
      total.denied += denied;
      total.byViews += byViews;
    });
    await fc.assert(holds, { numRuns: 120 });
    // The property must not hold vacuously.
    expect([total.sent > 10, total.tasks > 0, total.denied > 10, total.byViews > 0]).toEqual([true, true, true, true]);
  },
);

describe('the property fails for a guard', () => {
  /** Permits more than the real guard. */
  class Lenient extends Leases {
    override admit(server: string, request: RpcRequest): ReturnType<Leases['admit']> {
      for (const other of this.others(server, request)) {
        try {
          return super.admit(...other);
        } catch {
          // The next message may pass.
        }
      }
      return super.admit(server, request);
    }

    others(_server: string, _request: RpcRequest): readonly [string, RpcRequest][] {
      return [];
    }
  }

  class NeverCloses extends Leases {
    override open(of: Act): ReturnType<Leases['open']> {
      super.open(of);
      return { close: () => undefined };
    }
  }

  class OpensTwice extends Leases {
    override open(of: Act): ReturnType<Leases['open']> {
      const both = [super.open(of), super.open(of)];
      return {
        close: (succeeded) => {
          for (const one of both) one.close(succeeded);
        },
      };
    }
  }

  class AnyServer extends Lenient {
    override others(_server: string, request: RpcRequest): readonly [string, RpcRequest][] {
      return labels.map((label) => [label, request]);
    }
  }

  /** Compares messages after applying `change` to them. */
  const changing = (change: (params: JsonObject, of: Act) => JsonObject): Leases =>
    new (class extends Lenient {
      readonly #acts: Act[] = [];

      override open(of: Act): ReturnType<Leases['open']> {
        this.#acts.push(of);
        return super.open(of);
      }

      override others(server: string, { params = {}, ...rest }: RpcRequest): readonly [string, RpcRequest][] {
        return this.#acts.map((of) => [server, { ...rest, params: change(params, of) }]);
      }
    })();

  class SaysIsCalls extends Leases {
    override open(of: Act): ReturnType<Leases['open']> {
      return super.open(of.kind === 'context' ? { ...of, kind: 'tool' } : of);
    }
  }

  class AnyAnswer extends Leases {
    override useAnswer(): boolean {
      return true;
    }
  }

  const broken: readonly [string, () => Guard][] = [
    ['that never closes a lease', () => whole(new NeverCloses())],
    ['that is left out', () => ({ leases: new Leases(), around: (transport) => transport })],
    ['that takes one server for another', () => whole(new AnyServer())],
    ['that does not compare arguments', () => whole(changing((params, of) => ({ ...params, ...sentBy(of) })))],
    ['that does not compare _meta', () => whole(changing((params, { meta }) => ({ ...params, _meta: meta })))],
    ['that lets an act be done twice', () => whole(new OpensTwice())],
    ['that takes what a view says for a call', () => whole(new SaysIsCalls())],
    ['that takes any task for its own', () => whole(changing((params) => ({ ...params, taskId: 'task-1' })))],
  ];

  const isFailed = async (guard: () => Guard, revision: string): Promise<boolean> => {
    const holds = fc.asyncProperty(script, async (one) => {
      expect((await runSteps(guard(), revision, one)).faults).toEqual([]);
    });
    return (await fc.check(holds, { numRuns: 300, endOnFailure: true, seed: 7 })).failed;
  };

  test.each(broken)('%s', async (_, guard) => {
    for (const revision of [revisions[0]?.id, revisions[1]?.id])
      expect(await isFailed(guard, revision ?? '')).toBe(true);
  });

  test('that lets any answer pass, if the server sends requests', async () => {
    expect(await isFailed(() => whole(new AnyAnswer()), revisions[1]?.id ?? '')).toBe(true);
  });
});

/** The params of an act's request, in the form that the guard compares. */
const sentBy = ({ kind, arguments: args }: Act): JsonObject =>
  kind === 'extension' ? args : kind === 'resource' ? {} : { arguments: args };
