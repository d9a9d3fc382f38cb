/** The page's state, as signals: a copy of what it displays. The process owns the state. */
import { batch, computed, type Signal, signal } from '@preact/signals';
import type { HelloResult, VerbName, VerbParams, VerbResult } from '../protocol.ts';
import type { EventName, WorkbenchEvents } from '../protocol-events.ts';
import type { OpenQuestion } from '../protocol-questions.ts';
import type {
  ChangeRow,
  DecisionRow,
  OfferKind,
  OfferRow,
  ServerInfo,
  TaskInfo,
  ViewRow,
  WatchedResource,
} from '../protocol-rows.ts';
import type { ChatState, MessageRow, RecordingInfo, SpanRow } from '../protocol-timeline.ts';
import { type ConnectionStage, RpcClient } from './rpc.ts';

export type CallProgress = Omit<WorkbenchEvents['progress'], 'ref'>;

/** Newest rows for dock and palette. The timeline screen loads others by page. */
const MAX_NEWEST_ROWS = 500;
const MAX_NEWEST_SPANS = 400;
const MAX_CHANGES = 100;

export const stage: Signal<ConnectionStage> = signal('starting');
export const endedWhy = signal('');
export const hello: Signal<HelloResult | undefined> = signal(undefined);
export const servers: Signal<readonly ServerInfo[]> = signal([]);
export const questions: Signal<readonly OpenQuestion[]> = signal([]);
export const offers: Signal<Readonly<Record<OfferKind, readonly OfferRow[]>>> = signal({
  tool: [],
  resource: [],
  template: [],
  prompt: [],
});
/** False until the first lists have arrived, so that screens do not show that there is nothing. */
export const hasOffers = signal(false);
export const hasTasks = signal(false);
export const offerProblems: Signal<readonly string[]> = signal([]);
export const newestRows: Signal<readonly MessageRow[]> = signal([]);
export const messageTotal = signal(0);
/** Messages that are not in the timeline, because it is full. */
export const droppedMessages = signal(0);
export const newestSpans: Signal<readonly SpanRow[]> = signal([]);
export const progressOf: Signal<Readonly<Record<string, CallProgress>>> = signal({});
export const tasks: Signal<readonly TaskInfo[]> = signal([]);
export const views: Signal<readonly ViewRow[]> = signal([]);
export const changes: Signal<readonly ChangeRow[]> = signal([]);
export const watched: Signal<readonly WatchedResource[]> = signal([]);
export const newestDecision: Signal<DecisionRow | undefined> = signal(undefined);
export const recording: Signal<{ readonly file?: string | undefined; readonly messages: number } | undefined> =
  signal(undefined);
export const travelling: Signal<RecordingInfo | undefined> = signal(undefined);
export const chatState: Signal<ChatState | undefined> = signal(undefined);
/** Incremented when all displayed data must be reloaded: after a connection or `reload`. */
export const epoch = signal(0);
/** Incremented with each step of a sign-in. */
export const signInEpoch = signal(0);
/** Incremented when a server's log grows. */
export const logEpoch = signal(0);
export const isPaused = signal(false);
/** A toast, also announced to screen readers. */
export const notice = signal('');
/** Announced to screen readers only, because the screen shows it already. */
export const announcement = signal('');

export const readyServers = computed(() => servers.value.filter((server) => server.stage === 'ready'));

/** Dispatches messages for frames of views; the event name is the view's id. */
export const viewMessages = new EventTarget();

export const client = new RpcClient({
  onStage(next, why) {
    stage.value = next;
    endedWhy.value = why ?? '';
    if (next === 'live') loadState();
  },
  onEvent(name, params) {
    const handle = (): void => eventHandlers[name]?.(params as never);
    const waiting = heldEvents.get(name);
    if (waiting === undefined) handle();
    else waiting.push(handle);
  },
});

/** Events that change what is being loaded. Results and events arrive on two connections, so an event can overtake an older result. */
const heldEvents: Map<EventName, (() => void)[]> = new Map();

/** Loads a part of the state. Events that change this part are handled afterwards. */
async function loadPart<V extends VerbName>(
  verb: V,
  events: readonly EventName[],
  take: (result: VerbResult<V>) => void,
): Promise<void> {
  const waiting: (() => void)[] = [];
  for (const name of events) heldEvents.set(name, waiting);
  const result = await callOrNotify(verb, {} as VerbParams<V>);
  // The part is being loaded again. That result includes the changes of these events.
  if (events.some((name) => heldEvents.get(name) !== waiting)) return;
  for (const name of events) heldEvents.delete(name);
  if (result !== undefined) take(result);
  for (const handle of waiting) handle();
}

/** Verbs that can send something to a server. Rejected while a recording is open. */
const sendingVerbs: ReadonlySet<VerbName> = new Set<VerbName>([
  ...(['servers.connect', 'servers.restart', 'servers.examine', 'servers.add'] as const),
  ...(['call', 'read', 'prompt', 'watch', 'complete', 'compare', 'chat.say', 'app.open', 'app.message'] as const),
  ...(['tasks.attach', 'tasks.cancel', 'skills.verify', 'skills.load', 'signIn.again', 'signIn.forget'] as const),
]);

export async function callVerb<V extends VerbName>(verb: V, params: VerbParams<V>): Promise<VerbResult<V>> {
  if (travelling.value !== undefined && sendingVerbs.has(verb))
    throw new Error('A recording is open, so nothing is sent. Close the recording first.');
  return client.call(verb, params);
}

/** Calls a verb. A failure becomes a notice, and resolves to undefined. */
export function callOrNotify<V extends VerbName>(verb: V, params: VerbParams<V>): Promise<VerbResult<V> | undefined> {
  return callVerb(verb, params).catch((error: unknown) => {
    notice.value = sentenceOf(error);
    return undefined;
  });
}

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function loadState(): void {
  void loadPart(
    'hello',
    ['server', 'question', 'question.gone', 'recording', 'travelling', 'message', 'span'],
    (state) => {
      batch(() => {
        hello.value = state;
        servers.value = state.servers;
        questions.value = state.questions;
        messageTotal.value = state.messages;
        droppedMessages.value = state.dropped;
        newestRows.value = [];
        newestSpans.value = [];
        recording.value = state.recording;
        travelling.value = state.travelling;
        epoch.value++;
      });
      void loadOffers();
      void loadNewest();
      void loadPart('tasks.list', ['task'], (all) => {
        tasks.value = all.tasks;
        hasTasks.value = true;
      });
      void loadPart('app.list', ['view'], (all) => {
        views.value = all.views;
      });
      void loadPart('watch.changes', ['changed'], (all) => {
        changes.value = all.changes;
        watched.value = all.watched;
      });
    },
  );
}

/** Loads the chat. Events bring every later change, also those that this page causes. */
export const loadChat = (): Promise<void> =>
  loadPart('chat.state', ['chat'], (state) => {
    chatState.value = state;
  });

async function loadNewest(): Promise<void> {
  const [page, spans] = await Promise.all([
    callOrNotify('timeline.page', { limit: 100 }),
    callOrNotify('timeline.spans', {}),
  ]);
  const last = page?.rows.at(-1)?.id ?? 0;
  newestRows.value = [...(page?.rows ?? []), ...newestRows.value.filter(({ id }) => id > last)];
  // Spans from events that arrived meanwhile are newer, so they win.
  const all = [...(spans?.spans ?? []), ...newestSpans.value].map((span) => [span.id, span] as const);
  newestSpans.value = [...new Map(all).values()].slice(-MAX_NEWEST_SPANS);
}

/** Loads all definitions of all servers. A call during a run makes the run repeat, instead of starting a second one. */
async function loadOffers(): Promise<void> {
  if (offersRun.running) {
    offersRun.again = true;
    return;
  }
  offersRun.running = true;
  do {
    offersRun.again = false;
    const kinds: readonly OfferKind[] = ['tool', 'resource', 'template', 'prompt'];
    const lists = await Promise.all(kinds.map((kind) => loadList(kind)));
    batch(() => {
      offers.value = Object.fromEntries(
        kinds.map((kind, at) => [kind, withOpeningServers(kind, lists[at])]),
      ) as unknown as Record<OfferKind, OfferRow[]>;
      hasOffers.value = true;
      offerProblems.value = [...new Set(lists.flatMap((list) => list?.problems ?? []))];
    });
  } while (offersRun.again);
  offersRun.running = false;
}
const offersRun = { running: false, again: false };

type OfferList = Pick<VerbResult<'catalogue.list'>, 'items' | 'problems' | 'away'>;

/**
 * The list in the order of servers, plus the previous rows of servers that are being reopened, so that rows do not flicker. `away` of
 * the list names these servers: events arrive on another connection, so their order relative to the list is not known.
 */
function withOpeningServers(kind: OfferKind, list: OfferList | undefined): readonly OfferRow[] {
  if (list === undefined) return offers.value[kind];
  const { items, away } = list;
  const kept = offers.value[kind].filter(
    ({ server }) => away.includes(server) && items.every((item) => item.server !== server),
  );
  const order = servers.value.map(({ label }) => label);
  return [...items, ...kept].toSorted((left, right) => order.indexOf(left.server) - order.indexOf(right.server));
}

/** All pages of a list; undefined on failure, which leaves the displayed rows unchanged. */
async function loadList(kind: OfferKind): Promise<OfferList | undefined> {
  const items: OfferRow[] = [];
  const away: string[] = [];
  let page: VerbResult<'catalogue.list'> | undefined;
  do {
    const cursor = page?.next;
    page = await callVerb('catalogue.list', { kind, ...(cursor !== undefined && { cursor }) }).catch(() => undefined);
    if (page === undefined) return undefined;
    items.push(...page.items);
    away.push(...page.away);
  } while (page.next !== undefined);
  return { items, problems: page.problems, away };
}

function upsert<T>(list: readonly T[], item: T, isSame: (one: T) => boolean): readonly T[] {
  const at = list.findIndex(isSame);
  return at === -1 ? [...list, item] : list.with(at, item);
}

const eventHandlers: { [E in keyof WorkbenchEvents]?: (params: WorkbenchEvents[E]) => void } = {
  server({ server }) {
    const before = servers.value.find(({ label }) => label === server.label)?.stage;
    servers.value = upsert(servers.value, server, ({ label }) => label === server.label);
    if (before !== server.stage) void loadOffers();
  },
  message({ rows, total, dropped }) {
    messageTotal.value = total;
    droppedMessages.value = dropped;
    if (rows.length > 0 && !isPaused.value) newestRows.value = [...newestRows.value, ...rows].slice(-MAX_NEWEST_ROWS);
  },
  span({ spans }) {
    if (isPaused.value) return;
    const byId = new Map(newestSpans.value.map((span) => [span.id, span]));
    for (const span of spans) byId.set(span.id, span);
    newestSpans.value = [...byId.values()].slice(-MAX_NEWEST_SPANS);
  },
  question({ question }) {
    questions.value = upsert(questions.value, question, ({ id }) => id === question.id);
  },
  'question.gone'({ id }) {
    questions.value = questions.value.filter((one) => one.id !== id);
  },
  progress({ ref, ...progress }) {
    progressOf.value = { ...Object.fromEntries(Object.entries(progressOf.value).slice(-50)), [ref]: progress };
  },
  catalogue: () => void loadOffers(),
  changed(change) {
    changes.value = [...changes.value, change].slice(-MAX_CHANGES);
    if (change.error !== undefined)
      watched.value = watched.value.filter(({ server, uri }) => server !== change.server || uri !== change.uri);
  },
  task({ task }) {
    tasks.value = upsert(tasks.value, task, ({ ticket }) => ticket === task.ticket);
  },
  view({ view }) {
    views.value = upsert(views.value, view, (one) => one.view === view.view);
  },
  'view.message': (params) => void viewMessages.dispatchEvent(new CustomEvent(params.view, { detail: params.message })),
  log: () => void logEpoch.value++,
  decision({ decision }) {
    newestDecision.value = decision;
  },
  signIn: () => void signInEpoch.value++,
  recording(params) {
    recording.value = params;
  },
  travelling(params) {
    travelling.value = params.recording;
  },
  chat({ rows, running, isNew }) {
    const before = chatState.value;
    if (isNew === true) void loadChat();
    else if (before !== undefined) {
      const byId = new Map([...before.rows, ...rows].map((row) => [row.id, row]));
      chatState.value = { ...before, running, rows: [...byId.values()] };
    }
  },
  reload: loadState,
};
