/** Connects the parts of a workbench: the host, taps on its connections, the history, questions, and the event feed of pages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { memoryCredentials } from '../auth/index.ts';
import { createWatchedHost, type WatchedHost } from '../host/create-host.ts';
import type { HostOptions, ServerSource, Session } from '../host/index.ts';
import { VERSION } from '../model/names.ts';
import { type Masks, maskSecretsIn } from '../model/secrets.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import type { Transport } from '../peer/exchange.ts';
import { type TracedHttp, tapFetch } from '../recording/http-tap.ts';
import { Scrubber } from '../recording/scrub.ts';
import { type TappedMessage, tapTransport } from '../recording/tap.ts';
import { DecisionLog } from './decisions.ts';
import { EventFeed } from './event-feed.ts';
import { History } from './history.ts';
import { LargeResults } from './large-results.ts';
import { PageActs } from './page-acts.ts';
import { PageQuestions } from './page-questions.ts';
import type { EventName, WorkbenchEvents } from './protocol-events.ts';
import type { MessageRow, SpanRow } from './protocol-timeline.ts';
import { ScriptableModel, WorkbenchChat } from './workbench-chat.ts';
import type { WorkbenchCore, WorkbenchOptions } from './workbench-core.ts';
import { WorkbenchServers } from './workbench-servers.ts';
import { WorkbenchSignIns } from './workbench-sign-ins.ts';
import { WorkbenchTasks } from './workbench-tasks.ts';

/** Messages are sent to pages in batches, at most 60 a second; 10 a second during a flood, which a page could not display. */
const BATCH_MS = 17;
const FLOOD_MS = 100;
/** Rows per batch; further rows are only counted. */
const MAX_BATCH = 100;

type MaskedListener = (sent: Pick<TappedMessage, 'side' | 'message'>, label: string) => void;

export class Workbench implements WorkbenchCore {
  readonly options: WorkbenchOptions;
  readonly clock: Clock;
  readonly feed: EventFeed;
  readonly large: LargeResults = new LargeResults();
  readonly history: History;
  readonly questions: PageQuestions;
  readonly decisions: DecisionLog;
  readonly host: WatchedHost;
  readonly session: Session;
  readonly servers: WorkbenchServers;
  readonly acts: PageActs;
  readonly tasks: WorkbenchTasks;
  readonly signIns: WorkbenchSignIns;
  readonly chat: WorkbenchChat;
  readonly refs: AsyncLocalStorage<string> = new AsyncLocalStorage();
  readonly #scrubbers: Map<string, Scrubber> = new Map();
  readonly #listeners: Set<MaskedListener> = new Set();
  /** The last decided action for each tool, to associate it with the `tools/call` that follows. */
  readonly #decidedActs: Map<string, string> = new Map();
  /** By server: see `toolsWithoutData`. */
  readonly #withoutData: Map<string, Set<string>> = new Map();
  #rows: MessageRow[] = [];
  #spans: Map<number, SpanRow> = new Map();
  readonly #logs: Map<string, string[]> = new Map();
  readonly #newest: Map<string, () => void> = new Map();
  #left = 0;
  /** The number of dropped messages that pages know. */
  #dropped = 0;
  #batchMs = BATCH_MS;
  /** Cancels the scheduled flush; undefined if none is scheduled. */
  #cancelFlush: (() => void) | undefined;

  constructor(options: WorkbenchOptions) {
    const { clock = systemClock, host, policy } = options;
    this.options = options;
    this.clock = clock;
    this.feed = new EventFeed(randomUUID());
    this.history = new History({
      onRow: (row) => this.#queueRow(row),
      onSpan: (span) => this.#queueSpan(span),
      onDropped: () => this.#scheduleFlush(),
    });
    this.questions = new PageQuestions({
      ...{ feed: this.feed, clock, scrub: (label, value) => this.scrub(label, value) },
      scrubAct: (label, act) => (this.#scrubbers.get(label) ?? new Scrubber()).question(act),
      ruleIndex: (rule) => this.decisions.ruleIndex(rule),
    });
    this.decisions = new DecisionLog({
      policy,
      file: options.audit,
      scrub: (label, value) => this.scrub(label, value),
      currentRef: () => this.refs.getStore(),
      onDecision: (decision, ref) => {
        if (ref !== undefined) this.acts.noteDecision(ref, decision);
        if (decision.kind === 'tool' && decision.phase === 'decided')
          this.#decidedActs.set(toolKey(decision.server, decision.name), decision.act);
        this.feed.emit('decision', { decision });
      },
    });
    const model = new ScriptableModel(options.model?.model ?? this.questions.userAsModel);
    const { credentials: store = memoryCredentials() } = options;
    this.signIns = new WorkbenchSignIns({ clock, feed: this.feed, questions: this.questions, store }, options.servers);
    const watched: HostOptions = {
      name: 'mooring-workbench',
      version: VERSION,
      ...host,
      ...{ clock, policy, audit: this.decisions, model, auth: this.signIns.auth },
      ...{ consent: this.questions.hostConsent, questions: this.questions.handler, inputs: this.questions.inputs },
      onWarning: (warning) => options.note(this.scrub('', warning)),
      servers: Object.fromEntries(
        Object.entries(options.servers).map(([label, source]) => [label, this.withHttpTap(label, source)]),
      ),
    };
    this.host = createWatchedHost(watched, {
      wrapTransport: (transport, label, masks) => this.#wrap(transport, label, masks),
      revisionsOf: (label) => this.servers.revisionsOf(label),
      examineFailure: (label, failure) => this.servers.examineFailure(label, failure),
    });
    this.servers = new WorkbenchServers(this);
    this.session = this.host.session({ principal: options.principal });
    this.acts = new PageActs(this, this.servers);
    this.tasks = new WorkbenchTasks(this, this.servers, this.acts);
    this.chat = new WorkbenchChat(this, model);
  }

  scrub<T>(label: string, value: T): T {
    const own = this.#scrubbers.get(label);
    const scrubbers = own === undefined ? [new Scrubber(), ...this.#scrubbers.values()] : [own];
    const text = (one: string): string => scrubbers.reduce((masked, scrubber) => scrubber.text(masked), one);
    return maskSecretsIn(value, { text, whole: false }) as T; // keeps the shape
  }

  /** Tools of a server whose last result had content, but no structured content. */
  toolsWithoutData(label: string): readonly string[] {
    return [...(this.#withoutData.get(label) ?? [])];
  }

  /** Subscribes to all messages of all servers, masked. Returns a function that unsubscribes. */
  onMessage(listener: MaskedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  withHttpTap(label: string, source: ServerSource): ServerSource {
    const url = typeof source === 'string' || source instanceof URL ? { url: source } : source;
    if (typeof url !== 'object' || !('url' in url)) return source;
    const onHttp = (exchange: TracedHttp): void =>
      this.history.addHttp({ server: label, at: this.clock.wall(), exchange: this.scrub(label, exchange) });
    return { ...url, fetch: tapFetch({ clock: this.clock, onHttp }, url.fetch) };
  }

  async close(why: string): Promise<void> {
    this.#flush();
    this.feed.emit('end', { why });
    try {
      await this.host.close();
    } finally {
      this.history.close();
      // An enabled AsyncLocalStorage slows down every promise of the process, and is never garbage-collected.
      this.refs.disable();
    }
  }

  #wrap(transport: Transport, label: string, masks: Masks): Transport {
    const source = this.servers.source(label);
    if (typeof source === 'object' && 'env' in source)
      for (const value of Object.values(source.env ?? {})) if (typeof value === 'string') masks.add(value);
    this.#scrubbers.set(label, new Scrubber(masks));
    this.servers.clearFailure(label);
    return tapTransport(transport, { clock: this.clock, onMessage: (tapped) => this.#onTapped(tapped, label) });
  }

  #onTapped(tapped: TappedMessage, label: string): void {
    const { side, message, answers, during } = tapped;
    const masked = this.scrub(label, message);
    const ref = side === '>' ? this.refs.getStore() : undefined;
    const at = this.clock.wall();
    const act = this.#actOf(tapped, label);
    this.history.add({ server: label, at, side, message, masked, answers, during, ref, act });
    if (answers !== undefined && side === '<') {
      const waited = this.questions.waitedMs(label, at - answers.ms, at);
      this.servers.setLatency(label, Math.max(0, answers.ms - waited));
    }
    this.#noteData(tapped, label);
    for (const listener of this.#listeners) listener({ side, message: masked }, label);
  }

  #noteData({ message, answers }: TappedMessage, label: string): void {
    if (answers?.request.method !== 'tools/call' || !('result' in message)) return;
    const { content, structuredContent, isError } = message.result;
    if (content === undefined || isError === true) return;
    const tools = this.#withoutData.get(label) ?? new Set();
    this.#withoutData.set(label, tools);
    const name = String(answers.request.params?.['name']);
    if (structuredContent === undefined) tools.add(name);
    else tools.delete(name);
  }

  #actOf({ side, message, answers }: TappedMessage, label: string): string | undefined {
    if (side !== '>' || answers !== undefined || !('method' in message) || message.method !== 'tools/call')
      return undefined;
    return this.#decidedActs.get(toolKey(label, String(message.params?.['name'])));
  }

  /** Why lists of servers are incomplete. Of a server that is being opened, its own row says so. */
  offerProblems(): readonly string[] {
    const opening = this.servers.opening();
    const problems = this.session.catalogue.problems().filter(({ server }) => !opening.includes(server));
    return problems.map(({ server, why }) => this.scrub(server, `${server}: ${why}`));
  }

  #queueRow(row: MessageRow): void {
    if (this.#rows.length < MAX_BATCH) this.#rows.push(row);
    else this.#left++;
    this.#scheduleFlush();
  }

  #queueSpan(span: SpanRow): void {
    if (this.#spans.size < MAX_BATCH || this.#spans.has(span.id)) this.#spans.set(span.id, span);
    this.#scheduleFlush();
  }

  queueLog(label: string, line: string): void {
    const lines = this.#logs.get(label) ?? [];
    this.#logs.set(label, lines);
    lines.push(line);
    if (lines.length > MAX_BATCH) lines.shift();
    this.#scheduleFlush();
  }

  queueNewest<E extends EventName>(key: string, name: E, params: WorkbenchEvents[E]): void {
    this.#newest.set(`${name} ${key}`, () => this.feed.emit(name, params));
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    this.#cancelFlush ??= this.clock.after(this.#batchMs, () => this.#flush(), { idle: true });
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const [rows, left, spans] = [this.#rows, this.#left, [...this.#spans.values()]];
    [this.#rows, this.#left, this.#spans] = [[], 0, new Map()];
    this.#batchMs = left > 0 ? FLOOD_MS : BATCH_MS;
    const { size: total, dropped } = this.history;
    if (rows.length > 0 || dropped > this.#dropped) this.feed.emit('message', { rows, total, dropped });
    this.#dropped = dropped;
    if (spans.length > 0) this.feed.emit('span', { spans });
    for (const [server, lines] of this.#logs) this.feed.emit('log', { server, lines });
    for (const emit of this.#newest.values()) emit();
    this.#logs.clear();
    this.#newest.clear();
  }
}

const toolKey = (server: string, name: string): string => JSON.stringify([server, name]);
