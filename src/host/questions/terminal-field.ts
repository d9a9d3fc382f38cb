/** Formats a form and its fields for a terminal. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { FormValue } from '../../model/elicitation.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import { sanitizeText } from '../consent/question-text.ts';
import type { FormQuestion } from './question-handler.ts';

/** Breaks URLs in a server's text, so that a terminal does not make them clickable. */
export const withoutLinks = (text: string): string => sanitizeText(text).replaceAll('://', '[:]//');

/** Explains who asks, for what, and what happens to the answer. */
export function formExplanation({ server, during, requestedSchema: { properties } }: FormQuestion): readonly string[] {
  const label = `"${sanitizeText(server)}"`;
  const names = Object.keys(properties).map((name) => `"${withoutLinks(name)}"`);
  const why =
    during === undefined
      ? 'No single call of yours is the reason.'
      : `It needs the answer for ${during.kind === 'tool' ? 'the tool' : `the ${sanitizeText(during.kind)}`} "${withoutLinks(during.name)}", which is running.`;
  return [
    `  ${label} asks you for ${names.join(', ')}; the question is in its own words. ${why}`,
    `  Your answer is sent to ${label}. :decline tells it that you decline; :cancel closes the question without an answer.`,
  ];
}

export function fieldText(
  name: string,
  field: JsonObject,
  { required = false }: { readonly required?: boolean } = {},
): string {
  const { title, description } = field;
  const label = typeof title === 'string' ? `${withoutLinks(title)} (${withoutLinks(name)})` : withoutLinks(name);
  const details = typeof description === 'string' ? `: ${withoutLinks(description)}` : '';
  return `${label}${details} — ${kindText(field)}${required ? ', required' : ''}`;
}

export const shownValue = (value: FormValue | undefined): string =>
  value === undefined ? '(nothing)' : withoutLinks(typeof value === 'string' ? value : JSON.stringify(value));

/** The value that an empty line stands for, as part of the prompt. */
export function presetText({ type }: JsonObject, value: FormValue | undefined): string {
  if (type !== 'boolean') return value === undefined ? '>' : `[${shownValue(value)}]`;
  return value === undefined ? '[y/n]' : value ? '[Y/n]' : '[y/N]';
}

function kindText(field: JsonObject): string {
  const { type, items } = field;
  const choices = choicesIn(type === 'array' && isObject(items) ? items : field);
  const some = choices.map(withoutLinks).join(', ');
  if (type === 'array') return `any of ${some}, separated by commas`;
  if (choices.length > 0) return `one of ${some}`;
  if (type === 'boolean') return 'yes or no';
  return type === 'string' ? (formatTexts.get(String(field['format'])) ?? 'text') : numberText(field);
}

const formatTexts: ReadonlyMap<string, string> = new Map([
  ['date', 'a date (year-month-day)'],
  ['date-time', 'a date and time (ISO 8601)'],
  ['email', 'an email address'],
  ['uri', 'a URL'],
]);

function numberText({ type, minimum, maximum }: JsonObject): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${kind} from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `${kind}, at least ${minimum}`;
  return typeof maximum === 'number' ? `${kind}, at most ${maximum}` : kind;
}

function choicesIn({ enum: names, oneOf, anyOf }: JsonObject): readonly string[] {
  if (Array.isArray(names)) return names.map(textOfValue);
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return [];
  return titled.map((one) => {
    if (!isObject(one)) return '';
    const value = textOfValue(one['const']);
    return typeof one['title'] === 'string' ? `${value} (${one['title']})` : value;
  });
}
