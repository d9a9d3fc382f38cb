/** Answers forms of a server (elicitation) from `--answer` options. */
import { encodeFormAnswer } from '../../client/elicitation.ts';
import { fieldFault, valueFromLine } from '../../client/form-field.ts';
import { McpError } from '../../errors.ts';
import type { FormQuestion } from '../../host/index.ts';
import type { ElicitResult, FormSchema, FormValue } from '../../model/elicitation.ts';
import { badArgument } from '../arguments.ts';

export class GivenAnswers {
  readonly #answers: ReadonlyMap<string, string>;
  readonly #used: Set<string> = new Set();
  readonly #asked: Set<string> = new Set();

  /** Throws `MCP_BAD_ARGUMENT`. */
  constructor(pairs: readonly string[] = []) {
    const answers = new Map<string, string>();
    for (const pair of pairs) {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined) throw badArgument(`--answer ${pair}`, 'expected key=value');
      if (answers.has(name)) throw badArgument(`--answer ${pair}`, `"${name}" is given twice`);
      answers.set(name, value);
    }
    this.#answers = answers;
  }

  /** The answers for the fields of a form. Throws `MCP_BAD_ARGUMENT` if one is invalid for its field. */
  for({ properties }: FormSchema): Readonly<Record<string, FormValue>> {
    const found = Object.entries(properties).flatMap(([name, field]): [string, FormValue][] => {
      this.#asked.add(name);
      const answer = this.#answers.get(name);
      if (answer === undefined) return [];
      this.#used.add(name);
      const value = valueFromLine(field, answer);
      const fault = fieldFault(name, field, value);
      if (fault !== undefined) throw badArgument(`--answer ${name}=${answer}`, fault);
      return [[name, value]];
    });
    return Object.fromEntries(found);
  }

  /** Names of all fields that the server asked for so far. */
  get asked(): string {
    return this.#asked.size === 0 ? 'nothing' : [...this.#asked].join(', ');
  }

  get unused(): readonly string[] {
    return [...this.#answers.keys()].filter((name) => !this.#used.has(name));
  }
}

/** A valid answer, or the reason why `content` is invalid. */
export function formAnswers(
  { requestedSchema, message, values: defaults }: FormQuestion,
  content: Readonly<Record<string, FormValue>>,
): ElicitResult | string {
  try {
    return encodeFormAnswer(
      { requestedSchema, message, defaults },
      { action: 'accept', content },
    ) as unknown as ElicitResult; // accepted, so it has the content
  } catch (error) {
    if (error instanceof McpError) return String((error.details as { why?: unknown }).why);
    throw error;
  }
}
