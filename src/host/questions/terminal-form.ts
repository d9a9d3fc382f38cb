/** Shows a form on a terminal: one prompt for a yes/no question, otherwise a prompt for each field, and a review at the end. */
import { fieldFault, valueFromLine } from '../../client/form-field.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ElicitResult, FormValue } from '../../model/elicitation.ts';
import type { TerminalPrompt } from '../../terminal/terminal-prompt.ts';
import { sanitizeText } from '../consent/question-text.ts';
import type { FormQuestion } from './question-handler.ts';
import { fieldText, formExplanation, presetText, shownValue, withoutLinks } from './terminal-field.ts';

/** Commands that the user can type instead of an answer. */
const commands: ReadonlyMap<string, 'decline' | 'cancel'> = new Map([
  [':decline', 'decline'],
  [':cancel', 'cancel'],
]);

/** Thrown when the user declines or dismisses the question. */
class FormLeft extends Error {
  readonly action: 'decline' | 'cancel';

  constructor(action: 'decline' | 'cancel') {
    super(action);
    this.action = action;
  }
}

export async function askForm(talk: TerminalPrompt, question: FormQuestion): Promise<ElicitResult> {
  try {
    return { action: 'accept', content: Object.fromEntries(await new FormDialogue(talk, question).fill()) };
  } catch (error) {
    if (error instanceof FormLeft) return { action: error.action };
    throw error;
  }
}

type FormValues = ReadonlyMap<string, FormValue>;

class FormDialogue {
  readonly #talk: TerminalPrompt;
  readonly #question: FormQuestion;

  constructor(talk: TerminalPrompt, question: FormQuestion) {
    this.#talk = talk;
    this.#question = question;
  }

  async fill(): Promise<FormValues> {
    const { server, message, warnings, fault, requestedSchema, values: preset } = this.#question;
    const { say } = this.#talk;
    const [[name, field] = ['', {}], ...others] = Object.entries(requestedSchema.properties);
    const isYesOrNo = others.length === 0 && field['type'] === 'boolean';
    const isMessage = isYesOrNo && (field['description'] === undefined || field['description'] === message);
    say('', `The server "${sanitizeText(server)}" asks:${isMessage ? '' : ` ${withoutLinks(message)}`}`);
    for (const warning of warnings) say(`! ${sanitizeText(warning)}`);
    if (fault !== undefined) say(`That is not valid: ${sanitizeText(fault)}`);
    if (isYesOrNo) return this.#yesOrNo(name, field, isMessage ? withoutLinks(message) : fieldText(name, field));
    say('Press Enter for the [default]. ? explains, :decline declines, :cancel dismisses.');
    let values: FormValues = new Map(Object.entries(preset));
    do values = await this.#fields(values);
    while (!(await this.#isReviewed(values)));
    return values;
  }

  /** Needs no review. Enter never means yes, even if that is the server's default. */
  async #yesOrNo(name: string, field: JsonObject, prompt: string): Promise<FormValues> {
    const preset = this.#question.values[name] === false ? false : undefined;
    for (;;) {
      const line = await this.#ask(`${prompt} ${presetText(field, preset)} `);
      const value = line === '' ? preset : valueFromLine(field, line);
      if (typeof value === 'boolean') return new Map([[name, value]]);
      this.#talk.say('Type y or n. ? explains, :decline declines, :cancel dismisses.');
    }
  }

  async #fields(before: FormValues): Promise<FormValues> {
    const { properties, required = [] } = this.#question.requestedSchema;
    const values = new Map(before);
    for (const [name, field] of Object.entries(properties)) {
      this.#talk.say(fieldText(name, field, { required: required.includes(name) }));
      const entered = values.get(name);
      const preset = entered !== undefined && fieldFault(name, field, entered) === undefined ? entered : undefined;
      const value = await this.#field(name, field, { preset, required: required.includes(name) });
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    }
    return values;
  }

  /** Undefined for an optional field without a value. Asks again for an invalid value, which never becomes the default. */
  async #field(
    name: string,
    field: JsonObject,
    { preset, required }: { readonly preset: FormValue | undefined; readonly required: boolean },
  ): Promise<FormValue | undefined> {
    for (;;) {
      const line = await this.#ask(`  ${presetText(field, preset)} `);
      const value = line === '' ? preset : valueFromLine(field, line);
      if (value === undefined && !required) return undefined;
      const fault = value === undefined ? `"${name}" is required` : fieldFault(name, field, value);
      if (fault === undefined) return value;
      this.#talk.say(`  ${withoutLinks(fault)}.`);
    }
  }

  async #isReviewed(values: FormValues): Promise<boolean> {
    const { server, requestedSchema } = this.#question;
    const { say } = this.#talk;
    say(`Send this to "${sanitizeText(server)}"?`);
    for (const name of Object.keys(requestedSchema.properties))
      say(`  ${withoutLinks(name)}: ${shownValue(values.get(name))}`);
    for (;;) {
      const said = (await this.#ask('[y]es, [c]hange, [d]ecline, [x] dismiss: ')).toLowerCase();
      if (/^(?:y|yes|s|send)$/.test(said)) return true;
      if (/^c(?:hange)?$/.test(said)) return false;
      if (/^d(?:ecline)?$/.test(said)) throw new FormLeft('decline');
      if (said === 'x') throw new FormLeft('cancel');
      say('Type y to send it, or one of the other letters.');
    }
  }

  /** Reads an answer, and executes commands. A backslash in front makes a command an answer. */
  async #ask(prompt: string): Promise<string> {
    for (;;) {
      const line = await this.#talk.ask(prompt);
      const action = commands.get(line);
      if (action !== undefined) throw new FormLeft(action);
      if (line !== '?') return line.replace(/^\\(?=[?:\\])/, '');
      this.#talk.say(...formExplanation(this.#question));
    }
  }
}
