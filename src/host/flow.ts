/**
 * Recognises text of one server on its way to another. What a server gave to a session is kept as fingerprints; what is about to leave
 * is compared with them. It recognises text, not meaning: other words, pictures and ciphers get by.
 */
import type { Act, ActKind } from './act.ts';
import { readings } from './flow-decode.ts';
import { fingerprints, normalised } from './flow-fingerprints.ts';
import { glob } from './rules-match.ts';

/** Of one server in one session; the oldest are forgotten. About half a million letters. */
const MAX_FINGERPRINTS = 100_000;
const MAX_SESSIONS = 100;
/** More text than this in one result is not kept, and more than this in one act is not looked through. */
const MAX_TEXT: number = 1024 * 1024;
/** What was sent last, so that a text in pieces is one text. */
const MAX_TAIL = 2_000;

/** Acts whose result is what the server says. */
const telling: readonly ActKind[] = ['tool', 'resource', 'prompt', 'completion'];

interface Known {
  /** What each server told. */
  readonly told: Map<string, Set<number>>;
  /** The end of what each server was sent. */
  readonly sent: Map<string, string>;
}

export class Flow {
  readonly watched: readonly string[];
  readonly #isWatched: (label: string) => boolean;
  readonly #sessions: Map<string, Known> = new Map();

  constructor(watched: readonly string[]) {
    const tests = watched.map(glob);
    this.watched = [...new Set(watched)];
    this.#isWatched = (label) => tests.some((test) => test(label));
  }

  /** What came of an act is from now on known as its server's. */
  learn({ session, server, kind }: Act, result: unknown): void {
    if (!telling.includes(kind)) return;
    const { told } = this.#of(session);
    const known = told.get(server) ?? new Set();
    told.set(server, known);
    for (const reading of readings(stringsIn(result).join('\n').slice(0, MAX_TEXT)))
      for (const one of fingerprints(normalised(reading))) known.add(one);
    for (const oldest of known) {
      if (known.size <= MAX_FINGERPRINTS) break;
      known.delete(oldest);
    }
  }

  /** The watched servers whose text goes along with an act, but for what the act's own server has told itself. */
  carried(act: Act): readonly string[] {
    const { told, sent } = this.#of(act.session);
    const sources = [...told].filter(([label]) => label !== act.server && this.#isWatched(label));
    if (sources.length === 0) return [];
    const strings = leaving(act);
    if (strings.reduce((sum, { length }) => sum + length, 0) > MAX_TEXT) return sources.map(([label]) => label);
    const whole = (sent.get(act.server) ?? '') + strings.join('');
    const own = told.get(act.server);
    const found = new Set([whole, strings.join(' ')].flatMap((text) => readings(text)).flatMap(marksOf));
    const foreign = [...found].filter((one) => own?.has(one) !== true);
    return sources.filter(([, known]) => foreign.some((one) => known.has(one))).map(([label]) => label);
  }

  /** It is being sent: what follows may be the rest of it. */
  sent(act: Act): void {
    const { sent } = this.#of(act.session);
    sent.set(act.server, ((sent.get(act.server) ?? '') + leaving(act).join('')).slice(-MAX_TAIL));
  }

  end(session: string): void {
    this.#sessions.delete(session);
  }

  /** Acts of the host itself are a session of their own. */
  #of(session = ''): Known {
    const known = this.#sessions.get(session) ?? { told: new Map(), sent: new Map() };
    this.#sessions.set(session, known);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return known;
  }
}

const marksOf = (text: string): number[] => [...fingerprints(normalised(text))];

/** A name may say as much as an argument: an address does. */
const leaving = ({ name, arguments: args, kind }: Act): string[] =>
  kind === 'tool' || kind === 'prompt' ? stringsIn(args) : [name, ...stringsIn(args)];

/** Every text in a value, names included. */
function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 32) return [];
  if (Array.isArray(value)) return value.flatMap((one) => stringsIn(one, depth + 1));
  return Object.entries(value).flatMap(([key, one]) => [key, ...stringsIn(one, depth + 1)]);
}
