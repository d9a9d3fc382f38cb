/**
 * Matches a URI against a template and extracts the variables. Dynamic programming instead of a regular expression (ReDoS): one table
 * row per step, filled from the end. The cost is the length of the URI times that of the template, whatever a peer sends.
 */
import { type OperatorStyle, SUB_DELIMS, type TemplatePart, UNRESERVED, type Variable } from './template-expression.ts';

/** A range of the URI that holds a variable, or the parameters of `{;…}`, `{?…}` and `{&…}`. */
interface VariableSpan {
  readonly style: OperatorStyle;
  readonly variables: readonly Variable[];
  /** 1 for each ASCII code that the span can contain. */
  readonly allowed: Uint8Array;
  /** The code that parameters begin with, unless all of them are missing. Undefined for a variable. */
  readonly lead: number | undefined;
}
/** Literal text, or a span. */
export type TemplateStep = string | VariableSpan;
/** The members of a string that matching needs. */
interface TextView {
  readonly length: number;
  charCodeAt(index: number): number;
}
export type MatchedVariables = Record<string, string | readonly string[]>;

const SEGMENT = `${UNRESERVED}%${SUB_DELIMS}:@`;
const PERCENT = 0x25;

export function compileTemplate(parts: readonly TemplatePart[]): readonly TemplateStep[] {
  const steps: TemplateStep[] = [];
  // Backwards, to collect the delimiters that follow each variable: unescaped, they would be ambiguous in its value.
  let after = '';
  for (const draft of parts.flatMap(draftSteps).toReversed()) {
    const next = steps[0];
    if (typeof draft === 'string') steps.unshift(draft);
    // In {?a}{&b}, the second expression continues the query of the first.
    else if (typeof next === 'object' && next.style.named && next.style.lead === draft.style.separator)
      steps.splice(0, 1, { ...compileSpan(draft, after), variables: [...draft.variables, ...next.variables] });
    else steps.unshift(compileSpan(draft, after));
    after += typeof draft === 'string' ? draft : draft.style.named ? draft.style.lead : '';
  }
  return steps;
}

type Draft = string | Pick<VariableSpan, 'style' | 'variables'>;

function draftSteps(part: TemplatePart): readonly Draft[] {
  if (typeof part === 'string' || part.style.named) return [part];
  const { style, variables } = part;
  return variables.flatMap((variable, index) => {
    const text = index === 0 ? style.lead : style.separator;
    return [...(text === '' ? [] : [text]), { style, variables: [variable] }];
  });
}

function compileSpan({ style, variables }: Exclude<Draft, string>, after: string): VariableSpan {
  const without = (chars: string): string => [...chars].filter((char) => !after.includes(char)).join('');
  let chars = `${UNRESERVED}%`;
  if (style.reserved) chars += `!$'()*+,=:@/[]${without('?#;&')}`;
  else if (style.named) chars = style.lead === ';' ? SEGMENT : `${SEGMENT}/?`;
  else chars += without(`${SUB_DELIMS}:@`) + (variables[0]?.explode ? style.separator : '');
  const allowed = new Uint8Array(128);
  for (const char of chars) allowed[char.charCodeAt(0)] = 1;
  return { style, variables, allowed, lead: style.named ? style.lead.charCodeAt(0) : undefined };
}

/** The index where each step ends in the URI, with spans as long as possible (greedy); undefined if the URI does not match. */
export function locate(steps: readonly TemplateStep[], uri: TextView): readonly number[] | undefined {
  const rows = findReachable(steps, uri);
  if (rows[0]?.[0] !== 1) return undefined;
  const ends: number[] = [];
  let at = 0;
  for (const [index, step] of steps.entries()) {
    const next = rows[index + 1];
    if (typeof step === 'string') at += step.length;
    else if (step.lead === undefined || uri.charCodeAt(at) === step.lead) {
      for (let to = at + 1; to <= uri.length && step.allowed[uri.charCodeAt(to - 1)] === 1; to++)
        if (next?.[to] === 1 && !isInsideEscape(uri, to)) at = to;
    }
    ends.push(at);
  }
  return ends;
}

/** `rows[step][at]` is 1 if this step and all steps after it match the URI from `at` to its end. */
function findReachable(steps: readonly TemplateStep[], uri: TextView): readonly Uint8Array[] {
  let next = new Uint8Array(uri.length + 1);
  next[uri.length] = 1;
  const rows = [next];
  for (const step of steps.toReversed()) {
    const row = new Uint8Array(uri.length + 1);
    if (typeof step === 'string') {
      for (let at = uri.length - step.length; at >= 0; at--)
        if (next[at + step.length] === 1 && matchesTextAt(step, uri, at)) row[at] = 1;
    } else {
      let runs = false;
      if (step.lead !== undefined) row.set(next);
      for (let at = uri.length - 1; at >= 0; at--) {
        const code = uri.charCodeAt(at);
        runs = step.allowed[code] === 1 && (runs || (next[at + 1] === 1 && !isInsideEscape(uri, at + 1)));
        if (runs && (step.lead === undefined || step.lead === code)) row[at] = 1;
      }
    }
    rows.unshift(row);
    next = row;
  }
  return rows;
}

function matchesTextAt(text: string, uri: TextView, at: number): boolean {
  for (let index = 0; index < text.length; index++)
    if (uri.charCodeAt(at + index) !== text.charCodeAt(index)) return false;
  return true;
}

function isInsideEscape(uri: TextView, at: number): boolean {
  return uri.charCodeAt(at - 1) === PERCENT || uri.charCodeAt(at - 2) === PERCENT;
}

/** Decodes the values between the ends that `locate` found; undefined if one is unsafe, or a repeated variable has two values. */
export function readValues(
  steps: readonly TemplateStep[],
  ends: readonly number[],
  uri: string,
): MatchedVariables | undefined {
  // No prototype: a variable can be named `__proto__`.
  const found: MatchedVariables = Object.create(null);
  let start = 0;
  for (const [index, step] of steps.entries()) {
    const end = ends[index] ?? start;
    const raw = uri.slice(start, end);
    start = end;
    if (typeof step === 'string') continue;
    if (!(step.style.named ? readParameters(step, raw, found) : readPlain(step, raw, found))) return undefined;
  }
  return found;
}

function readPlain({ style, variables: [variable] }: VariableSpan, raw: string, found: MatchedVariables): boolean {
  if (variable === undefined) return false;
  const values: string[] = [];
  for (const piece of variable.explode ? raw.split(style.separator) : [raw]) {
    const value = decode(piece, style, variable);
    if (value === undefined || value === '') return false;
    values.push(value);
  }
  return addValue(found, variable.name, variable.explode ? values : values.join(''));
}

function readParameters({ style, variables }: VariableSpan, raw: string, found: MatchedVariables): boolean {
  if (raw === '') return true;
  const lists = new Map<string, string[]>();
  for (const piece of raw.slice(1).split(style.separator)) {
    const equals = piece.indexOf('=');
    const name = equals === -1 ? piece : piece.slice(0, equals);
    const variable = variables.find((one) => one.name === name);
    const value = variable && decode(equals === -1 ? '' : piece.slice(equals + 1), style, variable);
    if (variable === undefined || value === undefined) return false;
    const list = lists.get(name);
    if (list) list.push(value);
    else if (variable.explode) lists.set(name, [value]);
    else if (!addValue(found, name, value)) return false;
  }
  for (const [name, list] of lists) if (!addValue(found, name, list)) return false;
  return true;
}

function addValue(found: MatchedVariables, name: string, value: string | readonly string[]): boolean {
  if (name in found) return found[name] === value;
  found[name] = value;
  return true;
}

/** Decodes percent-encoding once: a value that was encoded twice stays encoded once. */
function decode(raw: string, style: OperatorStyle, { prefix }: Variable): string | undefined {
  try {
    const value = decodeURIComponent(raw);
    if (prefix !== undefined && [...value].length > prefix) return undefined;
    return isSafe(value, style) ? value : undefined;
  } catch {
    return undefined; // not UTF-8: overlong, cut short, or half a surrogate pair
  }
}

/** Whether a handler can use a value as a file name or, with `{+}`, `{#}`, `{?}` and `{&}`, as a path below a root (path traversal). */
function isSafe(value: string, { reserved, separator }: OperatorStyle): boolean {
  if (value.includes('\0') || value.includes('\\')) return false;
  // Windows ignores spaces at the end of a name.
  const segments = value.split('/').map((segment) => segment.trimEnd());
  if (segments.includes('..')) return false;
  if (!reserved && separator !== '&') return segments.length === 1 && segments[0] !== '.';
  return !value.startsWith('/') && !/^[a-z]:/i.test(value);
}
