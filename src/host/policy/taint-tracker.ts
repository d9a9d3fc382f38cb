/**
 * Detects text of one server on its way to another: stores fingerprints of what servers returned to a session, and compares what is
 * about to be sent. Recognizes text, not meaning: paraphrases, pictures and ciphers pass.
 */
import { setNewest } from '../../peer/set-newest.ts';
import type { Act, ActKind } from '../act/act.ts';
import { compileGlob } from './act-match.ts';
import { decodeText } from './decode-text.ts';
import { fingerprintsOf, normalizeText, RUN, SHORTEST, type TextFingerprint } from './text-fingerprints.ts';

/** Per server and session; beyond this, the oldest are evicted. About half a million characters of text. */
const MAX_FINGERPRINTS = 100_000;
const MAX_SESSIONS = 100;
/** Evicted sessions that are still remembered: the servers they read from, whose text everything that they send counts as. */
const MAX_FORGOTTEN = 10_000;
/** Of a longer result, only the start is fingerprinted. A longer act is not searched, and counts as text of every source. */
const MAX_TEXT: number = 1024 * 1024;
/** Characters of previous acts that are searched again, to detect text that is sent in pieces. */
const MAX_TAIL = 2_000;

/** Acts whose result is text of the server. */
const kindsWithResult: readonly ActKind[] = ['tool', 'resource', 'prompt', 'completion', 'extension', 'skill'];
/** Acts whose arguments are text of the server's view, for the user or a model. */
const viewKinds: readonly ActKind[] = ['message', 'context'];

interface TaintMemory {
  /** Fingerprints of text from each server. */
  readonly received: Map<string, Set<number>>;
  /** The end of the text that acts tried to send to each server, allowed or not. */
  readonly attempted: Map<string, string>;
}

export class TaintTracker {
  readonly watched: readonly string[];
  readonly #isWatched: (label: string) => boolean;
  readonly #sessions: Map<string, TaintMemory> = new Map();
  /** Watched servers that a session has read from, for sessions whose fingerprints were evicted. */
  readonly #forgotten: Map<string, readonly string[]> = new Map();

  constructor(watched: readonly string[]) {
    const tests = watched.map(compileGlob);
    this.watched = [...new Set(watched)];
    this.#isWatched = (label) => tests.some((test) => test(label));
  }

  /** Stores fingerprints of an act's result as text of its server. */
  learn({ session, server, kind, arguments: args }: Act, result: unknown): void {
    if (!kindsWithResult.includes(kind) && !viewKinds.includes(kind)) return;
    const { received } = this.#memoryOf(session);
    const known = received.get(server) ?? new Set();
    received.set(server, known);
    const { names, values } = textsIn(viewKinds.includes(kind) ? args : result);
    for (const text of [values.join('\n'), names.join('\n')])
      for (const [mark] of marksIn(text.slice(0, MAX_TEXT), 0).flat()) known.add(mark);
    for (const oldest of known) {
      if (known.size <= MAX_FINGERPRINTS) break;
      known.delete(oldest);
    }
  }

  /** The watched servers whose text an act would send, except text that the act's own server also sent. */
  sourcesIn(act: Act): readonly string[] {
    const memory = this.#memoryOf(act.session);
    const forgotten = (this.#forgotten.get(act.session ?? '') ?? []).filter((label) => label !== act.server);
    return [...new Set([...forgotten, ...this.#recognized(act, memory)])];
  }

  #recognized(act: Act, { received, attempted }: TaintMemory): readonly string[] {
    const sources = [...received].filter(([label]) => label !== act.server && this.#isWatched(label));
    if (sources.length === 0) return [];
    const { names, values } = outgoingTexts(act);
    const before = attempted.get(act.server) ?? '';
    const apart = before === '' && values.length < 2 ? [] : [values.join(' ')];
    const texts = [before + values.join(''), ...apart, names.join('')];
    if (texts.some(({ length }) => length > MAX_TEXT)) return sources.map(([label]) => label);
    const own = received.get(act.server);
    const marks = texts.flatMap((text, i) => marksIn(text, i === 0 ? before.length : 0));
    const foreign = marks.flatMap((some) => foreignIn(some, own));
    return sources.filter(([, known]) => foreign.some((mark) => known.has(mark))).map(([label]) => label);
  }

  /** Remembers the text that an act tries to send, because a later act can send the rest of it. */
  noteAttempt(act: Act): void {
    if (viewKinds.includes(act.kind)) return;
    const { attempted } = this.#memoryOf(act.session);
    const text = [attempted.get(act.server), ...outgoingTexts(act).values].join('');
    attempted.set(act.server, text.slice(-MAX_TAIL));
  }

  endSession(session: string): void {
    this.#sessions.delete(session);
    this.#forgotten.delete(session);
  }

  /** The memory of a session, marked as most recently used. Acts of the host itself share one without an id. */
  #memoryOf(session = ''): TaintMemory {
    const known = this.#sessions.get(session) ?? { received: new Map(), attempted: new Map() };
    this.#sessions.delete(session);
    this.#sessions.set(session, known);
    if (this.#sessions.size > MAX_SESSIONS) this.#evictOldest();
    return known;
  }

  #evictOldest(): void {
    const { value: oldest } = this.#sessions.entries().next();
    const [session, { received }] = oldest as [string, TaintMemory]; // the limit is exceeded, so the map is not empty
    const read = [...received.keys()].filter(this.#isWatched);
    const labels = [...new Set([...(this.#forgotten.get(session) ?? []), ...read])];
    if (labels.length > 0) setNewest(this.#forgotten, session, labels, MAX_FORGOTTEN);
    this.#sessions.delete(session);
  }
}

/** The fingerprints of a text, and of each of its decodings, except those of pieces that end before `fresh`. */
function marksIn(whole: string, fresh: number): TextFingerprint[][] {
  return decodeText({ text: whole, fresh }).map((decoded) => {
    const known = normalizeText(decoded.text.slice(0, decoded.fresh)).length;
    return fingerprintsOf(normalizeText(decoded.text)).filter(([, at]) => at + SHORTEST > known);
  });
}

/**
 * Fingerprints of one text that are not the receiving server's own. Neighbors of an own one also count as own: winnowing depends on
 * context.
 */
function foreignIn(marks: readonly TextFingerprint[], own: ReadonlySet<number> | undefined): number[] {
  const places = marks.filter(([mark]) => own?.has(mark) === true).map(([, at]) => at);
  // Marks are in the order of the text, so one pass over both is enough.
  let next = 0;
  const isOwn = (at: number): boolean => {
    while ((places[next] ?? at) <= at - RUN) next++;
    return (places[next] ?? Number.POSITIVE_INFINITY) < at + RUN;
  };
  return marks.filter(([, at]) => !isOwn(at)).map(([mark]) => mark);
}

interface ActTexts {
  readonly names: string[];
  readonly values: string[];
}

/** Includes the name of an act, except of tools and prompts: a URL can carry as much text as an argument. */
function outgoingTexts({ name, arguments: args, meta, kind }: Act): ActTexts {
  const { names, values } = textsIn([args, meta]);
  return kind === 'tool' || kind === 'prompt' ? { names, values } : { names, values: [name, ...values] };
}

/** All texts and member names in a value, at any depth, in order. Iterative, because the value can be deeply nested. */
function textsIn(whole: unknown): ActTexts {
  const found: ActTexts = { names: [], values: [] };
  const seen = new Set<object>();
  const left = [whole];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') found.values.push(value);
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (!Array.isArray(value)) for (const name of Object.keys(value)) found.names.push(name);
    for (const one of Object.values(value).toReversed()) left.push(one);
  }
  return found;
}
