/** `WWW-Authenticate`: reading what a server asks for, and writing what ours asks for (RFC 9110, section 11.6.1). */
import { McpError } from '../../errors.ts';

export interface Challenge {
  /** In lower case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** By their names in lower case. */
  readonly params: ReadonlyMap<string, string>;
  /** What some schemes send in place of parameters. */
  readonly token68?: string;
}

/** The rest of a longer field is not looked at. */
const MAX_LENGTH = 16 * 1024;

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokenChars: ReadonlySet<string> = new Set(`${alphanumeric}!#$%&'*+-.^_\`|~`);
const token68Chars: ReadonlySet<string> = new Set(`${alphanumeric}-._~+/`);
const equals: ReadonlySet<string> = new Set('=');
const blanks: ReadonlySet<string> = new Set(' \t');
const separators: ReadonlySet<string> = new Set(' \t,');

/** Every challenge that can be read. What cannot be read is passed over up to the next comma. */
export function parseChallenges(header: string): readonly Challenge[] {
  return new ChallengeReader(bounded(header)).challenges();
}

/** Cut at a comma: half a value would be a wrong one. */
function bounded(header: string): string {
  return header.length <= MAX_LENGTH ? header : header.slice(0, header.lastIndexOf(',', MAX_LENGTH) + 1);
}

interface OpenChallenge {
  readonly scheme: string;
  readonly params: Map<string, string>;
  token68?: string;
}

/** Goes over the text once; only a token that may be a token68 is looked at twice. */
class ChallengeReader {
  readonly #text: string;
  readonly #found: OpenChallenge[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  challenges(): readonly Challenge[] {
    for (this.#run(separators); this.#at < this.#text.length; this.#run(separators)) {
      const name = this.#run(tokenChars).toLowerCase();
      const blank = this.#run(blanks) !== '';
      if (name !== '' && this.#peek() === '=') this.#param(name);
      else if (name !== '') this.#scheme(name, blank);
      this.#skip();
    }
    return this.#found;
  }

  #scheme(scheme: string, blank: boolean): void {
    const open: OpenChallenge = { scheme, params: new Map() };
    this.#found.push(open);
    if (!blank || this.#atEnd()) return;
    const start = this.#at;
    const token68 = this.#run(token68Chars) + this.#run(equals);
    this.#run(blanks);
    if (token68 !== '' && this.#atEnd()) {
      open.token68 = token68;
      return;
    }
    this.#at = start;
    const name = this.#run(tokenChars).toLowerCase();
    this.#run(blanks);
    if (name !== '' && this.#peek() === '=') this.#param(name);
  }

  /** The first of several values counts. */
  #param(name: string): void {
    this.#at++;
    this.#run(blanks);
    const value = this.#peek() === '"' ? this.#quoted() : this.#run(tokenChars) || undefined;
    const params = this.#found.at(-1)?.params;
    if (value !== undefined && params?.has(name) === false) params.set(name, value);
  }

  /** Undefined when the quote never ends. */
  #quoted(): string | undefined {
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const c = this.#peek();
      if (c === '"') {
        this.#at++;
        return value;
      }
      if (c === '\\') this.#at++;
      value += this.#peek();
    }
    return undefined;
  }

  /** To the next comma that is not quoted. */
  #skip(): void {
    while (!this.#atEnd()) {
      if (this.#peek() === '"') this.#quoted();
      else this.#at++;
    }
  }

  #run(chars: ReadonlySet<string>): string {
    const start = this.#at;
    while (chars.has(this.#peek())) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #atEnd(): boolean {
    return this.#at >= this.#text.length || this.#peek() === ',';
  }
}

/**
 * One challenge, as a field value. Characters that are not printable ASCII are left out: whatever a realm or a scope holds, it
 * stays within its quotes and within its line.
 */
export function formatChallenge(scheme: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const written = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${token(name)}="${value.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`],
  );
  return written.length === 0 ? token(scheme) : `${token(scheme)} ${written.join(', ')}`;
}

function token(name: string): string {
  if (name !== '' && [...name].every((c) => tokenChars.has(c))) return name;
  const why = 'the names of schemes and parameters are tokens of HTTP';
  throw new McpError('MCP_BAD_DEFINITION', { what: `The challenge ${JSON.stringify(name)}`, why });
}
