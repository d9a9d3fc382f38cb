/** URIs and URI templates (RFC 3986, RFC 6570): what a resource's address may look like, and which template it fits. */
import {
  expandExpression,
  isEscape,
  readTemplate,
  SUB_DELIMS,
  type TemplatePart,
  type TemplateValues,
  UNRESERVED,
} from './template-expression.ts';
import { compileTemplate, locate, type MatchedVariables, readValues, type TemplateStep } from './template-match.ts';

/** A longer URI fits no template. */
const LONGEST_URI = 8192;

/** The variables of a URI, as a handler gets them: those of a query may be missing, exploded ones are lists. */
export type Variables<Uri extends string> = string extends Uri
  ? Readonly<Record<string, string | readonly string[] | undefined>>
  : VariablesIn<Bodies<Uri>>;
// A mapped type over the sum of them, and not the sum, since the compiler shows its members.
type VariablesIn<B extends string> = [B] extends [never]
  ? NoVariables
  : VariableTypes<B> extends infer V
    ? { readonly [K in keyof V]: V[K] }
    : never;
type NoVariables = { readonly [K in never]: never };
type VariableTypes<B extends string> = { [K in Single<InPath<B>>]: string } & {
  [K in List<InPath<B>>]: readonly string[];
} & { [K in Single<InQuery<B>>]?: string } & { [K in List<InQuery<B>>]?: readonly string[] };

/** What stands between the braces of a template. */
type Bodies<T extends string> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Bodies<Rest> : never;
type VariableNames<V extends string> = V extends `${infer One},${infer Rest}` ? One | VariableNames<Rest> : V;
type InQuery<B extends string> = B extends `${'?' | '&' | ';'}${infer V}` ? VariableNames<V> : never;
type InPath<B extends string> = B extends `${'?' | '&' | ';'}${string}`
  ? never
  : B extends `${'+' | '#' | '.' | '/'}${infer V}`
    ? VariableNames<V>
    : VariableNames<B>;
type Single<V extends string> = V extends `${string}*` ? never : V extends `${infer Name}:${string}` ? Name : V;
type List<V extends string> = V extends `${infer Name}*` ? Name : never;

/** A parsed URI template. The constructor throws `MCP_BAD_DEFINITION` when the text is none. */
export class UriTemplate {
  readonly source: string;
  /** Each name once, in the order of the text. */
  readonly variables: readonly string[];
  readonly #parts: readonly TemplatePart[];
  readonly #steps: readonly TemplateStep[];

  constructor(source: string) {
    this.source = source;
    this.#parts = readTemplate(source);
    this.#steps = compileTemplate(this.#parts);
    const names = this.#parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables));
    this.variables = [...new Set(names.map(({ name }) => name))];
  }

  /** The URI for these values, at all four levels of the RFC. Values that are missing are left out. */
  expand(values: TemplateValues): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join('');
  }

  /**
   * The values in a URI, decoded once, or nothing when the URI does not fit. The record has no prototype.
   *
   * - `{a}`, `{.a}`, `{/a}`, `{;a}` hold one path segment: never `/`, `\`, NUL, `.` or `..`, however they are spelt.
   * - `{+a}`, `{#a}`, `{?a}`, `{&a}` may hold `/`, but never a `..` segment, `\`, NUL, a leading `/` or a drive letter.
   * - Variables of `;`, `?` and `&` may be missing, empty or in another order; unknown parameters do not fit. All other
   *   variables are there and not empty.
   * - `{a*}` is a list, everything else text. A list that was expanded without `*` comes back as one text with commas,
   *   pairs do not come back at all, and of `{a:3}` only a value of at most three characters fits.
   * - Where a URI can be cut in several ways (`{a}{b}`, `{a}.{b}`), an earlier variable takes as much as it can. A variable
   *   that stands twice has the same value twice.
   */
  match(uri: string): Readonly<MatchedVariables> | undefined {
    const first = this.#steps[0];
    if (uri.length > LONGEST_URI || (typeof first === 'string' && !uri.startsWith(first))) return undefined;
    const ends = locate(this.#steps, uri);
    return ends && readValues(this.#steps, ends, uri);
  }
}

/** Whether a resource's URI is a template: no URI has a brace, so one that is not closed is a mistake in a template. */
export const isTemplate = (uri: string): boolean => uri.includes('{');

const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const NAME: string = UNRESERVED + SUB_DELIMS;
const PATH: string = `${NAME}:@/`;

/** Whether this is a URI with a scheme, made of the characters RFC 3986 allows in each place. */
export function isUri(value: string): boolean {
  const [address = '', fragment = '', ...more] = value.split('#');
  const colon = address.indexOf(':');
  const question = address.indexOf('?', colon);
  const end = question === -1 ? address.length : question;
  if (more.length > 0 || colon === -1 || !SCHEME.test(address.slice(0, colon))) return false;
  if (!consistsOf(address.slice(end), `${PATH}?`) || !consistsOf(fragment, `${PATH}?`)) return false;
  const path = address.slice(colon + 1, end);
  if (!path.startsWith('//')) return consistsOf(path, PATH);
  const slash = path.indexOf('/', 2);
  const authority = path.slice(2, slash === -1 ? undefined : slash);
  return isAuthority(authority) && consistsOf(path.slice(2 + authority.length), PATH);
}

function isAuthority(text: string): boolean {
  const at = text.indexOf('@');
  const host = text.slice(at + 1);
  // An address in brackets is checked for its characters, not for its meaning.
  const bracketed = host.startsWith('[');
  const colon = host.indexOf(':', bracketed ? Math.max(host.indexOf(']'), 0) : 0);
  const name = host.slice(0, colon === -1 ? undefined : colon);
  const port = colon === -1 ? '' : host.slice(colon + 1);
  if (!consistsOf(text.slice(0, Math.max(at, 0)), `${NAME}:`)) return false;
  if (!/^\d*$/.test(port)) return false;
  if (!bracketed) return consistsOf(name, NAME);
  return name.length > 2 && name.endsWith(']') && !name.includes('%') && consistsOf(name.slice(1, -1), `${NAME}:`);
}

function consistsOf(text: string, characters: string): boolean {
  for (let at = 0; at < text.length; at++)
    if (isEscape(text, at)) at += 2;
    else if (!characters.includes(text.charAt(at))) return false;
  return true;
}

/** Whether a URI fits a template of a server, which may be none. */
export function fitsTemplate(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== undefined;
  } catch {
    return false;
  }
}
