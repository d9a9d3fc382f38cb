/** What `--answer` says, for the forms of a server. */
import { formAnswer } from '../../client/elicitation.ts';
import type { FormRequest } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { typedValue } from '../../host/questions/terminal-field.ts';
import type { ElicitResult, FormValue } from '../../model/elicitation.ts';
import { badArgument } from '../arguments.ts';

export class GivenAnswers {
  readonly #answers: ReadonlyMap<string, string>;
  readonly #used: Set<string> = new Set();

  /** Throws `MCP_BAD_ARGUMENT`. */
  constructor(pairs: readonly string[] = []) {
    this.#answers = new Map(
      pairs.map((pair): [string, string] => {
        const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
        if (name === undefined || value === undefined) throw badArgument(`--answer ${pair}`, 'expected key=value');
        return [name, value];
      }),
    );
  }

  /** The fields of a form that were answered. */
  for({ requestedSchema: { properties } }: FormRequest): Readonly<Record<string, FormValue>> {
    const found = Object.entries(properties).flatMap(([name, field]): [string, FormValue][] => {
      const answer = this.#answers.get(name);
      if (answer === undefined) return [];
      this.#used.add(name);
      return [[name, typedValue(field, answer)]];
    });
    return Object.fromEntries(found);
  }

  get unused(): readonly string[] {
    return [...this.#answers.keys()].filter((name) => !this.#used.has(name));
  }
}

/** An answer that may be sent, or what it lacks. */
export function accepted(request: FormRequest, content: Readonly<Record<string, FormValue>>): ElicitResult | string {
  try {
    return formAnswer(request, { action: 'accept', content }) as unknown as ElicitResult; // accepted, so it has the content
  } catch (error) {
    if (error instanceof McpError) return String((error.details as { why?: unknown }).why);
    throw error;
  }
}
