/** A text that a regular expression of a schema matches, for the patterns that schemas have. Callers check it against the schema. */

/** Undefined for what this reader does not know, such as looking ahead. */
export function textMatching(pattern: string): string | undefined {
  const reader = new PatternReader(pattern.slice(0, MAX_PATTERN));
  const text = reader.alternatives();
  return reader.isDone && !reader.isLost ? text : undefined;
}

const MAX_PATTERN = 500;
const MAX_REPEATS = 64;
/** Of a text: repetitions within each other multiply. */
const MAX_LENGTH = 1_000;
/** What is tried for a class of characters, ordinary ones first. */
const CANDIDATES: readonly string[] = [...'aA1-_./:@ bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ023456789+#,'];

class PatternReader {
  isLost = false;
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isDone(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** The first of them; the others are read over. */
  alternatives(): string {
    const first = this.#sequence();
    while (this.#take('|')) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = '';
    while (!this.isDone && !this.isLost && this.#next !== '|' && this.#next !== ')') {
      const one = this.#one();
      const repeats = this.#repeats();
      if (text.length + one.length * repeats > MAX_LENGTH) return this.#lose();
      text += one.repeat(repeats);
    }
    return text;
  }

  #one(): string {
    if (this.#take('^') || this.#take('$')) return '';
    if (this.#take('(')) return this.#group();
    const unit = this.#match(/\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:u[\da-fA-F]{4}|.)|[^\\[]/y);
    if (unit === undefined) return this.#lose();
    // Of a class, the first candidate in it; everything else matches itself.
    if (!/^(?:\[|\\[dDwWsSp]|\.$)/.test(unit)) return unit.replace(/^\\/, '');
    return CANDIDATES.find((c) => matches(unit, c)) ?? this.#lose();
  }

  #group(): string {
    if (this.#match(/\?(?!:|<[A-Za-z])/y) !== undefined) return this.#lose();
    this.#match(/\?(?::|<\w+>)/y);
    const text = this.alternatives();
    return this.#take(')') ? text : this.#lose();
  }

  /** As few as there may be, but one rather than none. */
  #repeats(): number {
    const found = this.#match(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    const [, least] = /\{(\d+)/.exec(found ?? '') ?? [];
    const count = least === undefined ? 1 : Number(least);
    if (count > MAX_REPEATS) this.#lose();
    return Math.min(count, MAX_REPEATS);
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(c: string): boolean {
    const isNext = this.#next === c;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #lose(): string {
    this.isLost = true;
    return '';
  }
}

function matches(unit: string, c: string): boolean {
  try {
    return new RegExp(`^${unit}$`, 'u').test(c);
  } catch {
    return false;
  }
}
