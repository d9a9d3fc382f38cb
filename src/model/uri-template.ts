/** Validates URIs (RFC 3986), and expands and matches URI templates (RFC 6570). */
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

/** A longer URI matches no template. */
const LONGEST_URI = 8192;

/** The variables of a template, as a handler gets them: those of a query are optional, exploded ones are lists. */
export type Variables<Uri extends string> = string extends Uri
  ? Readonly<Record<string, string | readonly string[] | undefined>>
  : VariablesIn<Bodies<Uri>>;
// Mapped over the intersection instead of the intersection itself, because the compiler then displays the members.
type VariablesIn<B extends string> = [B] extends [never]
  ? NoVariables
  : VariableTypes<B> extends infer V
    ? { readonly [K in keyof V]: V[K] }
    : never;
type NoVariables = { readonly [K in never]: never };
type VariableTypes<B extends string> = { [K in Single<InPath<B>>]: string } & {
  [K in List<InPath<B>>]: readonly string[];
} & { [K in Single<InQuery<B>>]?: string } & { [K in List<InQuery<B>>]?: readonly string[] };

/** The text between the braces of a template. */
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

/** A parsed URI template. The constructor throws `MCP_BAD_DEFINITION` if the text is not a template. */
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

  /** Expands the template, at all four levels of the RFC. Omits variables without a value. */
  expand(values: TemplateValues): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join('');
  }

  /**
   * Extracts the values of a URI, decoded once; undefined if the URI does not match. The record has no prototype.
   *
   * - `{a}`, `{.a}`, `{/a}`, `{;a}` match one path segment: never `/`, `\`, NUL, `.` or `..`, in any encoding.
   * - `{+a}`, `{#a}`, `{?a}`, `{&a}` can contain `/`, but never a `..` segment, `\`, NUL, a leading `/` or a drive letter.
   * - Variables of `;`, `?` and `&` can be missing, empty or in another order; unknown parameters do not match. All other
   *   variables are required, and are not empty.
   * - `{a*}` is a list, everything else text. A list that was expanded without `*` is read as one text with commas, pairs
   *   are not read at all, and `{a:3}` matches only a value of at most three characters.
   * - If a URI can be split in several ways (`{a}{b}`, `{a}.{b}`), an earlier variable takes as much as it can (greedy). A
   *   variable that occurs twice must have the same value twice.
   */
  match(uri: string): Readonly<MatchedVariables> | undefined {
    const first = this.#steps[0];
    if (uri.length > LONGEST_URI || (typeof first === 'string' && !uri.startsWith(first))) return undefined;
    const ends = locate(this.#steps, uri);
    return ends && readValues(this.#steps, ends, uri);
  }
}

/** Whether a resource's URI is a template. No URI can contain a brace, so an unclosed one is a mistake in a template. */
export const isTemplate = (uri: string): boolean => uri.includes('{');

const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const NAME: string = UNRESERVED + SUB_DELIMS;
const PATH: string = `${NAME}:@/`;

/** Whether a text is a URI with a scheme, made of the characters that RFC 3986 allows in each place. */
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
  // Of an IPv6 address in brackets, only the characters are checked.
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

/** Whether a URI matches a server's template. False if the template is invalid. */
export function fitsTemplate(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== undefined;
  } catch {
    return false;
  }
}
