/** A form on a terminal: field by field, then all of it for review, and a way out at every step. */

import { valueFromLine } from '../../client/form-field.ts';
import type { ElicitResult, FormValue } from '../../model/elicitation.ts';
import { sanitizeText } from '../consent/question-text.ts';
import type { FormQuestion } from './question-handler.ts';
import { fieldText, presetText, shownValue, unlinked } from './terminal-field.ts';

export interface FormTalk {
  say(...lines: readonly string[]): void;
  /** Rejects when the user dismisses the question, or it is cancelled. */
  ask(prompt: string): Promise<string>;
}

/** Typed instead of an answer. */
const ways: ReadonlyMap<string, ElicitResult['action']> = new Map([
  [':decline', 'decline'],
  [':cancel', 'cancel'],
]);

export async function askForm(talk: FormTalk, question: FormQuestion): Promise<ElicitResult> {
  const { server, message, warnings, fault } = question;
  talk.say('', `The server "${sanitizeText(server)}" asks you: ${unlinked(message)}`);
  for (const warning of warnings) talk.say(`! ${sanitizeText(warning)}`);
  if (fault !== undefined) talk.say(`That is not valid: ${sanitizeText(fault)}`);
  talk.say('An empty line takes the value in brackets; :decline declines, :cancel dismisses the form.');
  let values = new Map(Object.entries(question.values));
  for (;;) {
    const filled = await filledIn(talk, question, values);
    if (typeof filled === 'string') return { action: filled };
    values = filled;
    const said = await reviewed(talk, question, values);
    if (said === 'send') return { action: 'accept', content: Object.fromEntries(values) };
    if (said !== 'change') return { action: said };
  }
}

async function filledIn(
  talk: FormTalk,
  { requestedSchema: { properties, required = [] } }: FormQuestion,
  before: ReadonlyMap<string, FormValue>,
): Promise<Map<string, FormValue> | ElicitResult['action']> {
  const values = new Map(before);
  for (const [name, field] of Object.entries(properties)) {
    talk.say(fieldText(name, field, { required: required.includes(name) }));
    const line = await talk.ask(`  ${presetText(field, values.get(name))} `);
    const way = ways.get(line);
    if (way !== undefined) return way;
    if (line !== '') values.set(name, valueFromLine(field, line));
  }
  return values;
}

async function reviewed(
  talk: FormTalk,
  { server, requestedSchema: { properties } }: FormQuestion,
  values: ReadonlyMap<string, FormValue>,
): Promise<'send' | 'change' | 'decline' | 'cancel'> {
  talk.say(`This would be sent to "${sanitizeText(server)}":`);
  for (const name of Object.keys(properties)) talk.say(`  ${unlinked(name)}: ${shownValue(values.get(name))}`);
  for (;;) {
    const said = (await talk.ask('[s]end, [c]hange, [d]ecline, cancel [x]: ')).toLowerCase();
    if (said === 's') return 'send';
    if (said === 'c') return 'change';
    if (said === 'd' || said === ':decline') return 'decline';
    if (said === 'x' || said === ':cancel') return 'cancel';
  }
}
