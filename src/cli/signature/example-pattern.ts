/** Generates a string that matches a regular expression, for common patterns of schemas. Callers validate the result. */

/** Undefined for unsupported syntax, such as lookahead. */
export function textMatching(pattern: string): string | undefined {
  const reader = new PatternReader(pattern.slice(0, MAX_PATTERN));
  const text = reader.alternatives();
  return reader.isDone && !reader.isUnsupported ? text : undefined;
}

const MAX_PATTERN = 500;
const MAX_REPEATS = 64;
/** Limits the result: nested repetitions multiply. */
const MAX_LENGTH = 1_000;
/** Characters to try for a character class, common ones first. */
const CANDIDATES: readonly string[] = [...'aA1-_./:@ bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ023456789+#,'];

class PatternReader {
  isUnsupported = false;
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isDone(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** Generates the first alternative, and parses past the others. */
  alternatives(): string {
    const first = this.#sequence();
    while (this.#take('|')) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = '';
    while (!this.isDone && !this.isUnsupported && this.#next !== '|' && this.#next !== ')') {
      const one = this.#unit();
      const repeats = this.#repeats();
      if (text.length + one.length * repeats > MAX_LENGTH) return this.#fail();
      text += one.repeat(repeats);
    }
    return text;
  }

  #unit(): string {
    if (this.#take('^') || this.#take('$')) return '';
    if (this.#take('(')) return this.#group();
    const unit = this.#match(/\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:u[\da-fA-F]{4}|.)|[^\\[]/y);
    if (unit === undefined) return this.#fail();
    // A character class gives its first matching candidate; any other unit is a literal.
    if (!/^(?:\[|\\[dDwWsSp]|\.$)/.test(unit)) return unit.replace(/^\\/, '');
    return CANDIDATES.find((c) => matches(unit, c)) ?? this.#fail();
  }

  #group(): string {
    if (this.#match(/\?(?!:|<[A-Za-z])/y) !== undefined) return this.#fail();
    this.#match(/\?(?::|<\w+>)/y);
    const text = this.alternatives();
    return this.#take(')') ? text : this.#fail();
  }

  /** The minimum count of a quantifier, but at least one for `*` and `?`. */
  #repeats(): number {
    const found = this.#match(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    const [, least] = /\{(\d+)/.exec(found ?? '') ?? [];
    const count = least === undefined ? 1 : Number(least);
    if (count > MAX_REPEATS) this.#fail();
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

  #fail(): string {
    this.isUnsupported = true;
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
