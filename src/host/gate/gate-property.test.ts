/** Whatever is tried, in whatever order, and whoever answers what: nothing gets to a server without a record that allows it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { FakeServer, type Handler } from '../../../test/support/fake-server.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { type Overheard, tap } from '../../../test/support/tap.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client } from '../../client/client.ts';
import { openClient } from '../../client/connected-client.ts';
import {
  isFailure,
  isNotification,
  isObject,
  isRequest,
  type JsonObject,
  type Message,
} from '../../jsonrpc/message.ts';
import { revisions } from '../../revisions/index.ts';
import type { Act, ActKind } from '../act/act.ts';
import { bindingOf } from '../act/binding.ts';
import type { Rule } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import type { ConsentAnswer } from '../consent/consent.ts';
import { guardTransport } from '../permits/permits-transport.ts';
import { rules } from '../policy/rules.ts';
import { GateKeeper } from './gate-keeper.ts';

const labels = ['mail', 'web'] as const;
const names = ['read', 'send'] as const;
const values = [{}, { to: 'ada' }, { to: 'eve', text: 'secret' }, { to: ['ada', { cc: 'eve' }] }] as const;
const asked = {
  name: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: form() } },
};

function form(): JsonObject {
  return { type: 'object', properties: { name: { type: 'string' } } };
}

/** One thing that somebody tries. */
interface Step {
  readonly server: (typeof labels)[number];
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly name: (typeof names)[number];
  readonly args: JsonObject;
  /** Through the gate as it says; as something else; twice; after it is over; without asking; or by the server. */
  readonly how: 'honest' | 'other' | 'twice' | 'late' | 'behind' | 'asked' | 'open' | 'end';
  /** What somebody answers, if asked. */
  readonly answer: 'yes' | 'no' | 'edit' | 'throw' | 'foreign' | 'always' | 'meddle' | 'unspeakable';
  /** What becomes of what is used while somebody is asked about it. */
  readonly meanwhile: 'nothing' | 'changes' | 'vanishes' | 'moves';
  /** Whether the user's answer to the server's question takes the way through the gate. */
  readonly cleared: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  server: fc.constantFrom(...labels),
  kind: fc.constantFrom('tool', 'resource', 'prompt'),
  name: fc.constantFrom(...names),
  args: fc.constantFrom(...values),
  how: fc.constantFrom('honest', 'honest', 'honest', 'other', 'twice', 'late', 'behind', 'asked', 'open', 'end'),
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
      fc.constantFrom<ActKind[]>(['connect'], ['tool', 'resource'], ['prompt'], ['elicitation']),
    )
    .map(([make, kind]) => make({ kind })),
  fc
    .tuple(fc.constantFrom(rules.allow, rules.deny), fc.constantFrom(...names))
    .map(([make, name]) => make({ name: `*${name}*` })),
  fc.constantFrom(rules.allow, rules.ask, rules.deny).map((make) => make({ arguments: { to: /eve/ } })),
  fc.constantFrom(rules.allow, rules.ask).map((make) => make({ kind: 'resource', name: 'X://read' })),
  fc.integer({ min: 0, max: 3 }).map((calls) => rules.budget({ kind: 'tool' }, { calls, per: 'session' })),
  fc.constant(rules.noFlow('mail', 'web', { after: 'read' })),
);

class Stage implements AsyncDisposable {
  readonly log: (Overheard & { readonly server: string })[] = [];
  /** Each record with the number of messages that had gone out by then. */
  readonly records: { readonly record: AuditRecord; readonly at: number }[] = [];
  readonly #gate: GateKeeper;
  readonly #clients: Map<string, Client> = new Map();
  readonly #servers: Map<string, FakeServer> = new Map();
  readonly #revision: string;
  #step: Step | undefined;
  /** Somebody was asked about what is being tried. */
  #asked = false;
  /** What was done although it was no longer what somebody had agreed to. */
  readonly outdated: Step[] = [];

  constructor(policy: readonly Rule[], revision: string) {
    this.#revision = revision;
    const audit: Audit = { write: async (record) => void this.records.push({ record, at: this.log.length }) };
    this.#gate = new GateKeeper({ policy, audit, consent: async ({ act: of }) => this.#answer(of) });
  }

  /** Tries it; whatever comes of it is on record. */
  async try(tried: Step): Promise<void> {
    this.#step = tried;
    this.#asked = false;
    const { server } = tried;
    if (tried.how === 'end') this.#gate.permits.end(server);
    const client = await this.#open(server).catch(() => undefined);
    if (client === undefined) return;
    if (tried.how === 'asked') await this.#question(server);
    else if (tried.how !== 'open' && tried.how !== 'end') await this.#use(client, tried).catch(() => undefined);
  }

  /** Whether the end of an act was on record before this message. */
  isOver(id: string, before: number): boolean {
    return this.records.some(({ record, at }) => record.id === id && record.phase !== 'decided' && at <= before);
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
    const transport = guardTransport(tap(fake.transport, log), server, this.#gate.permits);
    const elicit = (): Promise<{ action: 'accept'; content: { name: string } }> => this.#elicited(server);
    const opening = act({ kind: 'connect', server, name: server, arguments: {} });
    const client = await this.#gate.pass(opening, () =>
      openClient<unknown>(transport, { revisions: [this.#revision], elicit, onWarning: () => undefined }),
    );
    this.#clients.set(server, client);
    return client;
  }

  async #elicited(server: string): Promise<{ action: 'accept'; content: { name: string } }> {
    const answer = { action: 'accept', content: { name: 'Ada' } } as const;
    const about = act({ kind: 'elicitation', server, name: 'Who?', arguments: answer });
    if (this.#step?.cleared === true) await this.#gate.pass(about, async () => undefined);
    return answer;
  }

  async #use(client: Client, { how, ...tried }: Step): Promise<void> {
    const wanted = actOf(tried);
    const use = (args: JsonObject): Promise<unknown> => used(client, wanted, args);
    if (how === 'behind') await use(wanted.arguments);
    else if (how === 'late') await (await this.#gate.pass(wanted, async (permit) => () => use(permit.arguments)))();
    else
      await this.#gate.pass(
        wanted,
        async (permit) => {
          if (this.#asked && tried.meanwhile !== 'nothing') this.outdated.push({ how, ...tried });
          await use(how === 'other' ? { ...permit.arguments, more: 'psst' } : permit.arguments);
          if (how === 'twice') await use(permit.arguments);
        },
        { editable: tried.kind === 'tool', current: async () => this.#current(wanted) },
      );
  }

  #current({ definition, fingerprint }: Act): Pick<Act, 'definition' | 'fingerprint'> | undefined {
    const meanwhile = this.#step?.meanwhile;
    if (meanwhile === 'vanishes') return undefined;
    return {
      definition: meanwhile === 'changes' ? 'another' : definition,
      fingerprint: meanwhile === 'moves' ? 'elsewhere' : fingerprint,
    };
  }

  /** The server asks by itself, where its revision lets it. */
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

/** Tries to send something else than is shown. */
function meddle(of: Act): void {
  try {
    Object.assign(of.arguments, { to: 'eve', more: 'psst' });
  } catch {
    // It is frozen.
  }
}

/** Tools called `send` want to know something before they do anything. */
const handlers: Record<string, Handler> = {
  'tools/call': ({ name, inputResponses }) =>
    name === 'send' && inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: asked, requestState: 'state', content: [] }
      : { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
  'resources/read': () => ({ resultType: 'complete', contents: [], ttlMs: 0, cacheScope: 'private' }),
  'prompts/get': () => ({ resultType: 'complete', messages: [] }),
};

const actOf = ({ server, kind, name, args }: Omit<Step, 'how'>): Act => {
  if (kind === 'resource') return act({ kind, server, name: `x://${name}`, arguments: {} });
  return act({ kind, server, name, arguments: args });
};

function used(client: Client, { kind, name }: Act, args: JsonObject): Promise<unknown> {
  if (kind === 'tool') return client.call(name, args);
  if (kind === 'prompt') return client.getPrompt(name, args as Record<string, string>);
  return client.read('more' in args ? `${name}/more` : name, { fresh: true });
}

/** The act that a message does, if it does one. */
function doneBy(server: string, message: Message, answers: string | undefined): Act | undefined {
  if (isRequest(message)) {
    const { method, params = {} } = message;
    const args = isObject(params['arguments']) ? params['arguments'] : {};
    const again = params['inputResponses'] !== undefined;
    if (method === 'tools/call' && !again) return act({ server, name: String(params['name']), arguments: args });
    if (method === 'prompts/get') return act({ kind: 'prompt', server, name: String(params['name']), arguments: args });
    if (method === 'resources/read')
      return act({ kind: 'resource', server, name: String(params['uri']), arguments: {} });
    const [answer] = again && isObject(params['inputResponses']) ? Object.values(params['inputResponses']) : [];
    return again ? act({ kind: 'elicitation', server, name: 'Who?', arguments: answer as JsonObject }) : undefined;
  }
  if (isNotification(message) || isFailure(message) || answers !== 'elicitation/create') return undefined;
  return act({ kind: 'elicitation', server, name: 'Who?', arguments: message.result });
}

test.each(revisions.map(({ id }) => id))(
  'no byte goes to a server without a record that allows it, in %s',
  async (revision) => {
    verifies('HOST-3', 'HOST-13', 'HOST-16', 'HOST-23');
    let [written, refused] = [0, 0];
    const run = async (policy: readonly Rule[], steps: readonly Step[]): Promise<void> => {
      await using stage = new Stage(policy, revision);
      for (const one of steps) await stage.try(one);
      await settled();
      const allowed = stage.records.filter(({ record }) => record.phase === 'decided' && record.allowed);
      expect(stage.outdated).toEqual([]);
      const taken = new Set<string>();
      stage.log.forEach(({ side, message, answers, server }, at) => {
        if (side === '<') return;
        const before = allowed.filter((one) => one.at <= at).map(({ record }) => record);
        expect(before.some((one) => one.act.kind === 'connect' && one.act.server === server)).toBe(true);
        const done = doneBy(server, message, answers);
        if (done === undefined) return;
        // The record that allows it, and that nothing before was sent by; what is done is done before its end is on record.
        const leave = before.find(
          (one) =>
            one.act.kind === done.kind &&
            one.binding === bindingOf(done) &&
            !taken.has(one.id) &&
            (done.kind === 'elicitation' || !stage.isOver(one.id, at)),
        );
        expect(leave, JSON.stringify(message)).toBeDefined();
        if (leave !== undefined) taken.add(leave.id);
      });
      written += taken.size;
      refused += stage.records.filter(({ record }) => !record.allowed).length;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 4 }), fc.array(step, { minLength: 1, maxLength: 12 }), run),
      { numRuns: 60 },
    );
    // A property of nothing would be no property.
    expect([written > 10, refused > 10]).toEqual([true, true]);
  },
);
