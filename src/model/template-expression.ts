/** URI templates (RFC 6570): parses a template into parts, and expands expressions. Matching is in `template-match.ts`. */
import { badDefinition, type McpError } from '../errors.ts';

export const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
export const SUB_DELIMS = "!$&'()*+,;=";
const GEN_DELIMS = ':/?#[]@';

/** Length limit: peers send templates too, and matching costs the length of the template times that of the URI. */
const LONGEST_TEMPLATE = 2048;

type Scalar = string | number | boolean;
/** The value of a variable; `null` and `undefined` omit it. */
type TemplateValue = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>> | null | undefined;
export type TemplateValues = Readonly<Record<string, TemplateValue>>;

export interface Variable {
  readonly name: string;
  /** `{list*}`: each item is expanded by itself. */
  readonly explode: boolean;
  /** `{name:3}`: the maximum number of characters. */
  readonly prefix: number | undefined;
}
/** How an operator expands variables: the table in appendix A of the RFC. */
export interface OperatorStyle {
  readonly lead: string;
  readonly separator: string;
  readonly named: boolean;
  /** The text after a name whose value is empty: `=`, or the empty text. */
  readonly empty: string;
  /** Whether reserved characters and escapes stay as they are. */
  readonly reserved: boolean;
}
interface Expression {
  readonly style: OperatorStyle;
  readonly variables: readonly Variable[];
}
/** An expression, or literal text as it is in the URI. */
export type TemplatePart = string | Expression;

const simple: OperatorStyle = { lead: '', separator: ',', named: false, empty: '', reserved: false };
const operators: ReadonlyMap<string, OperatorStyle> = new Map([
  ['+', { ...simple, reserved: true }],
  ['#', { ...simple, lead: '#', reserved: true }],
  ['.', { ...simple, lead: '.', separator: '.' }],
  ['/', { ...simple, lead: '/', separator: '/' }],
  [';', { ...simple, lead: ';', separator: ';', named: true }],
  ['?', { ...simple, lead: '?', separator: '&', named: true, empty: '=' }],
  ['&', { ...simple, lead: '&', separator: '&', named: true, empty: '=' }],
]);

export function readTemplate(source: string): readonly TemplatePart[] {
  if (source.length > LONGEST_TEMPLATE) {
    const why = `it has ${source.length} characters, at most ${LONGEST_TEMPLATE}`;
    throw badTemplate(`${source.slice(0, 40)}…`, why);
  }
  const parts: TemplatePart[] = [];
  for (let at = 0; at < source.length; ) {
    const opens = source.indexOf('{', at);
    const end = opens === -1 ? source.length : opens;
    if (end > at) parts.push(readText(source, at, end));
    if (opens === -1) break;
    const close = source.indexOf('}', opens);
    if (close === -1) throw badTemplate(source, `the expression at character ${opens + 1} is never closed; add "}"`);
    parts.push(readExpression(source, opens + 1, close));
    at = close + 1;
  }
  return parts;
}

/** Escapes characters beyond ASCII, and rejects ASCII characters that no URI can have. */
function readText(source: string, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; ) {
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
    const kept = char === '%' ? isEscape(source, at) : (UNRESERVED + SUB_DELIMS + GEN_DELIMS).includes(char);
    if (!kept && (char <= '\x7f' || isLoneSurrogate(char))) {
      const where = `${JSON.stringify(char)} at character ${at + 1}`;
      throw badTemplate(source, `${where} cannot stand in a URI; write it percent-encoded`);
    }
    text += kept ? char : percentEncode(char);
    at += char.length;
  }
  return text;
}

function readExpression(source: string, start: number, end: number): Expression {
  const operator = operators.get(source.charAt(start));
  const variables: Variable[] = [];
  let at = operator ? start + 1 : start;
  for (const text of source.slice(at, end).split(',')) {
    variables.push(readVariable(source, text, at));
    at += text.length + 1;
  }
  return { style: operator ?? simple, variables };
}

function readVariable(source: string, text: string, at: number): Variable {
  const explode = text.endsWith('*');
  const colon = text.indexOf(':');
  const name = text.slice(0, colon !== -1 ? colon : explode ? -1 : undefined);
  if (!name.split('.').every((word) => /^(?:\w|%[\dA-Fa-f]{2})+$/.test(word)))
    throw badTemplate(source, `expected a variable name at character ${at + 1}, not ${JSON.stringify(name)}`);
  if (colon === -1) return { name, explode, prefix: undefined };
  const prefix = text.slice(colon + 1);
  if (!/^[1-9]\d{0,3}$/.test(prefix)) {
    const where = `at character ${at + colon + 2}`;
    throw badTemplate(source, `expected a length from 1 to 9999 ${where}, not ${JSON.stringify(prefix)}`);
  }
  return { name, explode, prefix: Number(prefix) };
}

/** Omits undefined variables; if none is left, the operator too. */
export function expandExpression({ style, variables }: Expression, values: TemplateValues): string {
  const pieces = variables.flatMap((variable) =>
    expandVariable(style, variable, Object.hasOwn(values, variable.name) ? values[variable.name] : undefined),
  );
  return pieces.length === 0 ? '' : style.lead + pieces.join(style.separator);
}

function expandVariable(
  style: OperatorStyle,
  { name, explode, prefix }: Variable,
  value: TemplateValue,
): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') {
    const text = String(value);
    return [withName(style, name, encode(prefix === undefined ? text : [...text].slice(0, prefix).join(''), style))];
  }
  if (prefix !== undefined) {
    const why = `a prefix is taken from text, and "${name}" holds ${JSON.stringify(value)}`;
    throw badTemplate(`{${name}:${prefix}}`, why);
  }
  const text = (item: Scalar): string => encode(String(item), style);
  if (isList(value)) {
    const items = value.map(text);
    if (explode) return items.map((item) => withName(style, name, item));
    return items.length === 0 ? [] : [withName(style, name, items.join(','))];
  }
  const pairs = Object.entries(value).map(([key, item]) => [text(key), text(item)] as const);
  if (explode) return pairs.map(([key, item]) => (style.named ? withName(style, key, item) : `${key}=${item}`));
  return pairs.length === 0 ? [] : [withName(style, name, pairs.flat().join(','))];
}

function withName(style: OperatorStyle, name: string, text: string): string {
  if (!style.named) return text;
  return text === '' ? name + style.empty : `${name}=${text}`;
}

function encode(value: string, { reserved }: OperatorStyle): string {
  const kept = reserved ? UNRESERVED + SUB_DELIMS + GEN_DELIMS : UNRESERVED;
  let text = '';
  let at = 0;
  for (const char of value) {
    text += kept.includes(char) || (reserved && isEscape(value, at)) ? char : percentEncode(char);
    at += char.length;
  }
  return text;
}

function percentEncode(char: string): string {
  // encodeURIComponent does not encode five of the reserved characters, and throws for a lone surrogate.
  if (char <= '\x7f') return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encodeURIComponent(isLoneSurrogate(char) ? '\ufffd' : char);
}

export function isEscape(text: string, at: number): boolean {
  return text[at] === '%' && isHex(text[at + 1]) && isHex(text[at + 2]);
}

function isHex(char: string | undefined): boolean {
  return char !== undefined && '0123456789abcdefABCDEF'.includes(char);
}

function isLoneSurrogate(char: string): boolean {
  return char.length === 1 && char >= '\ud800' && char <= '\udfff';
}

// Array.isArray does not narrow a readonly array out of a union.
function isList(value: object): value is readonly Scalar[] {
  return Array.isArray(value);
}

function badTemplate(template: string, why: string): McpError {
  return badDefinition(`URI template "${template}"`, why);
}
