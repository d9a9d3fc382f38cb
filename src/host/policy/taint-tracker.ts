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
    const { received, attempted } = this.#of(act.session);
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
    const text = (attempted.get(act.server) ?? '') + outgoingTexts(act).values.join('');
    attempted.set(act.server, text.slice(-MAX_TAIL));
  }

  endSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Acts of the host itself are a session of their own. */
  #of(session = ''): TaintMemory {
    const known = this.#sessions.get(session) ?? { received: new Map(), attempted: new Map() };
    setNewest(this.#sessions, session, known, MAX_SESSIONS);
    return known;
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

/** Every text in a value, and the names that values have. */
function textsIn(value: unknown, found: ActTexts = { names: [], values: [] }, depth = 0): ActTexts {
  if (typeof value === 'string') found.values.push(value);
  if (typeof value !== 'object' || value === null || depth > 32) return found;
  if (!Array.isArray(value)) found.names.push(...Object.keys(value));
  for (const one of Object.values(value)) textsIn(one, found, depth + 1);
  return found;
}
