/**
 * Recognises text of one server on its way to another. What a server gave to a session is kept as fingerprints; what is about to leave
 * is compared with them. It recognises text, not meaning: other words, pictures and ciphers get by.
 */
import { setNewest } from '../../peer/set-newest.ts';
import type { Act, ActKind } from '../act/act.ts';
import { compileGlob } from './act-match.ts';
import { decodeText } from './decode-text.ts';
import { fingerprintsOf, normalizeText, RUN, SHORTEST, type TextFingerprint } from './text-fingerprints.ts';

/** Of one server in one session; the oldest are forgotten. About half a million letters. */
const MAX_FINGERPRINTS = 100_000;
const MAX_SESSIONS = 100;
/** Beyond those: whose text a session has read is still known, and everything that it sends counts as that text. */
const MAX_FORGOTTEN = 10_000;
/** More text than this in one result is not kept, and more than this in one act is not looked through. */
const MAX_TEXT: number = 1024 * 1024;
/** What was tried last is remembered, so that a text in pieces is one text. */
const MAX_TAIL = 2_000;

/** Acts whose result is what the server says. */
const telling: readonly ActKind[] = ['tool', 'resource', 'prompt', 'completion', 'extension', 'skill'];
/** Acts in which a view of the server says something, to the user or a model. */
const voiced: readonly ActKind[] = ['message', 'context'];

interface TaintMemory {
  /** Fingerprints of what each server said. */
  readonly received: Map<string, Set<number>>;
  /** The end of what acts tried to send to each server, allowed or not. */
  readonly attempted: Map<string, string>;
}

export class TaintTracker {
  readonly watched: readonly string[];
  readonly #isWatched: (label: string) => boolean;
  readonly #sessions: Map<string, TaintMemory> = new Map();
  /** The watched servers that sessions have read from whose fingerprints are gone. */
  readonly #forgotten: Map<string, readonly string[]> = new Map();

  constructor(watched: readonly string[]) {
    const tests = watched.map(compileGlob);
    this.watched = [...new Set(watched)];
    this.#isWatched = (label) => tests.some((test) => test(label));
  }

  /** What came of an act is from now on known as its server's. */
  learn({ session, server, kind, arguments: args }: Act, result: unknown): void {
    if (!telling.includes(kind) && !voiced.includes(kind)) return;
    const { received } = this.#of(session);
    const known = received.get(server) ?? new Set();
    received.set(server, known);
    const { names, values } = textsIn(voiced.includes(kind) ? args : result);
    for (const text of [values.join('\n'), names.join('\n')])
      for (const [mark] of marksIn(text.slice(0, MAX_TEXT), 0)) known.add(mark);
    for (const oldest of known) {
      if (known.size <= MAX_FINGERPRINTS) break;
      known.delete(oldest);
    }
  }

  /** The watched servers whose text goes along with an act, but for what the act's own server said itself. */
  sourcesIn(act: Act): readonly string[] {
    const memory = this.#of(act.session);
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
    const foreign = foreignIn(marks, own);
    return sources.filter(([, known]) => foreign.some((mark) => known.has(mark))).map(([label]) => label);
  }

  /** An act tries to send text: what follows may be the rest of it. */
  noteAttempt(act: Act): void {
    if (voiced.includes(act.kind)) return;
    const { attempted } = this.#of(act.session);
    const text = [attempted.get(act.server), ...outgoingTexts(act).values].join('');
    attempted.set(act.server, text.slice(-MAX_TAIL));
  }

  endSession(session: string): void {
    this.#sessions.delete(session);
    this.#forgotten.delete(session);
  }

  /** Acts of the host itself are a session of their own. */
  #of(session = ''): TaintMemory {
    const known = this.#sessions.get(session) ?? { received: new Map(), attempted: new Map() };
    this.#sessions.delete(session);
    this.#sessions.set(session, known);
    if (this.#sessions.size > MAX_SESSIONS) this.#forgetOldest();
    return known;
  }

  #forgetOldest(): void {
    const { value: oldest } = this.#sessions.entries().next();
    const [session, { received }] = oldest as [string, TaintMemory]; // there are more than enough
    const read = [...received.keys()].filter(this.#isWatched);
    const labels = [...new Set([...(this.#forgotten.get(session) ?? []), ...read])];
    if (labels.length > 0) setNewest(this.#forgotten, session, labels, MAX_FORGOTTEN);
    this.#sessions.delete(session);
  }
}

/** The marks of a text in every form, but for those of what was looked at before. */
function marksIn(whole: string, fresh: number): TextFingerprint[] {
  return decodeText({ text: whole, fresh }).flatMap((reading) => {
    const known = normalizeText(reading.text.slice(0, reading.fresh)).length;
    return fingerprintsOf(normalizeText(reading.text)).filter(([, at]) => at + SHORTEST > known);
  });
}

/** Where a piece is the server's own, so is what begins just before and after it: which pieces are kept depends on what is around. */
function foreignIn(marks: readonly TextFingerprint[], own: ReadonlySet<number> | undefined): number[] {
  const places = marks.filter(([mark]) => own?.has(mark) === true).map(([, at]) => at);
  const isOwn = (at: number): boolean => places.some((place) => Math.abs(place - at) < RUN);
  return marks.filter(([, at]) => !isOwn(at)).map(([mark]) => mark);
}

interface ActTexts {
  readonly names: string[];
  readonly values: string[];
}

/** A name may say as much as an argument: an address does. */
function outgoingTexts({ name, arguments: args, meta, kind }: Act): ActTexts {
  const { names, values } = textsIn([args, meta]);
  return kind === 'tool' || kind === 'prompt' ? { names, values } : { names, values: [name, ...values] };
}

/** Every text in a value, however deep, and the names that values have, in their order. */
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
