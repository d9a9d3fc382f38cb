/** A field of a form on a terminal: what is shown of it, and what a typed line means. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { FormValue } from '../../model/elicitation.ts';
import { sanitizeText } from '../consent/question-text.ts';

/** Nothing in a server's text becomes a link to click on. */
export const unlinked = (text: string): string => sanitizeText(text).replaceAll('://', '[:]//');

export function fieldText(name: string, field: JsonObject, { required }: { readonly required: boolean }): string {
  const { title, description } = field;
  const called = typeof title === 'string' ? `${unlinked(title)} (${unlinked(name)})` : unlinked(name);
  const said = typeof description === 'string' ? `: ${unlinked(description)}` : '';
  return `${called}${said} — ${kindText(field)}${required ? ', required' : ''}`;
}

export const shownValue = (value: FormValue | undefined): string =>
  value === undefined ? '(nothing)' : unlinked(typeof value === 'string' ? value : JSON.stringify(value));

/** What an empty line means. */
export function presetText({ type }: JsonObject, value: FormValue | undefined): string {
  if (type !== 'boolean' || (value !== undefined && typeof value !== 'boolean')) return `[${shownValue(value)}]`;
  return value === undefined ? '[y/n]' : value ? '[Y/n]' : '[y/N]';
}

function kindText(field: JsonObject): string {
  const { type, items } = field;
  const choices = choicesIn(type === 'array' && isObject(items) ? items : field);
  const some = choices.map(unlinked).join(', ');
  if (type === 'array') return `any of ${some}, separated by commas`;
  if (choices.length > 0) return `one of ${some}`;
  if (type === 'boolean') return 'yes or no';
  return type === 'string' ? 'text' : 'a number';
}

function choicesIn({ enum: names, oneOf, anyOf }: JsonObject): readonly string[] {
  if (Array.isArray(names)) return names.map(String);
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return [];
  return titled.map((one) => {
    if (!isObject(one)) return '';
    return typeof one['title'] === 'string' ? `${String(one['const'])} (${one['title']})` : String(one['const']);
  });
}
