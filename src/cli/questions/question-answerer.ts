/** What servers ask while a command runs: answered by `--answer`, by the user at the terminal, or declined with a note. */
import { McpError } from '../../errors.ts';
import { type ElicitResult, type FormQuestion, type QuestionHandler, terminalQuestions } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, type Options, repeatable } from '../command.ts';
import { type ExitCode, exitCodes, Interrupted } from '../exit-codes.ts';
import type { CommandConsentOptions } from '../host/command-consent.ts';
import { sanitizeIndented } from '../printer.ts';
import { canAsk } from '../shell.ts';
import { formAnswers, GivenAnswers } from './given-answers.ts';

export const answerOptions = {
  answer: repeatable('key=value', 'Answer a form field when the tool asks'),
} as const satisfies Options;

export interface QuestionAnswererOptions {
  readonly answers: readonly string[] | undefined;
  /** What the user typed instead of a name, and knows the server by. */
  readonly server?: string | undefined;
  /** Keeps everything else off the terminal while the user is asked. */
  readonly lendTerminal?: <T>(ask: () => Promise<T>) => Promise<T>;
}

export class QuestionAnswerer {
  /** There is no model here, and none is offered: a server can then do without. */
  readonly host: Required<Pick<CommandConsentOptions, 'onInterrupt' | 'lendTerminal'>> & {
    readonly questions: QuestionHandler;
  };
  readonly #by: CommandContext;
  readonly #options: QuestionAnswererOptions;
  readonly #given: GivenAnswers;
  readonly #terminal: QuestionHandler;
  readonly #over: AbortController = new AbortController();
  #reason: Error | undefined;

  constructor(by: CommandContext, options: QuestionAnswererOptions) {
    const { stdin: input, stderr: output, clock } = by.shell;
    this.#by = by;
    this.#options = options;
    this.#given = new GivenAnswers(options.answers);
    const onInterrupt = (): void => this.#stop(new Interrupted('Ctrl-C at a question'));
    this.#terminal = terminalQuestions({ input, output, clock, onInterrupt });
    const { open, visiting } = this.#terminal;
    const shown = options.server === undefined ? {} : { server: options.server };
    this.host = {
      onInterrupt,
      lendTerminal: (ask) => this.#lend(ask),
      questions: {
        form: (question, signal) => this.#unlessOver(() => this.#form({ ...question, ...shown }, signal)),
        ...(open === undefined ? {} : { open }),
        ...(visiting === undefined
          ? {}
          : {
              visiting: (visit, signal) =>
                this.#unlessOver(() => this.#lend(() => visiting({ ...visit, ...shown }, signal))),
            }),
      },
    };
  }

  /**
   * Runs what the server may ask questions about, with a signal that is aborted when a question ends the command. Ends with 2 if
   * an answer was given that the server did not ask for: it is known only now.
   */
  async during(work: (signal: AbortSignal) => Promise<ExitCode | undefined>): Promise<ExitCode | undefined> {
    const { shell, print } = this.#by;
    const exit = await work(AbortSignal.any([shell.signal, this.#over.signal])).catch((error: unknown) => {
      throw this.#reason ?? error;
    });
    const { unused, asked } = this.#given;
    for (const name of unused)
      print.note(printable(`--answer ${name}: the server did not ask for it; it asked for ${asked}`));
    return unused.length > 0 ? exitCodes.usage : exit;
  }

  /** The command ends for this reason, whatever becomes of the question. */
  #stop(reason: Error): void {
    this.#reason ??= reason;
    this.#over.abort(reason);
  }

  /** A question that ended the command is not answered at all: a decline would be an answer too. */
  async #unlessOver<T>(ask: () => Promise<T>): Promise<T> {
    const answer = await ask().catch((error: unknown) => {
      if (!(error instanceof McpError && error.code === 'MCP_BAD_ARGUMENT')) throw error;
      this.#stop(error);
      return undefined;
    });
    return answer === undefined || this.#reason !== undefined ? new Promise(() => undefined) : answer;
  }

  async #form(question: FormQuestion, signal: AbortSignal): Promise<ElicitResult> {
    const { message, requestedSchema, values, server } = question;
    const given = this.#given.for(requestedSchema);
    const answer = Object.keys(given).length === 0 ? undefined : formAnswers(question, given);
    if (typeof answer === 'object' && question.fault === undefined) {
      this.#note(server, `"${message}" was answered with ${JSON.stringify(answer.content)}`);
      return answer;
    }
    if (canAsk(this.#by.shell))
      return this.#lend(() => this.#terminal.form({ ...question, values: { ...values, ...given } }, signal));
    const { properties, required = [] } = requestedSchema;
    const names = required.length > 0 ? required : Object.keys(properties);
    const how = `answer with ${names.map((name) => `--answer ${name}=…`).join(' ')}, or on a terminal`;
    const [unused] = this.#given.unused;
    if (answer !== undefined) throw badArgument('--answer', `${String(answer)}; ${how}`);
    if (unused !== undefined)
      throw badArgument(`--answer ${unused}`, `the server asks for ${names.join(', ')}; ${how}`);
    this.#note(server, `"${message}" was declined: not running in a terminal; ${how}`);
    return { action: 'decline' };
  }

  #lend<T>(ask: () => Promise<T>): Promise<T> {
    return this.#options.lendTerminal === undefined ? ask() : this.#options.lendTerminal(ask);
  }

  #note(server: string, text: string): void {
    const { print } = this.#by;
    print.note(`${print.style('yellow', printable(server), 'stderr')}: ${sanitizeIndented(text)}`);
  }
}
