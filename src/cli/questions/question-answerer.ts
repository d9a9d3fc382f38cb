/** Answers questions of servers during a command: with `--answer`, on the terminal, or by declining with a note. */
import { McpError } from '../../errors.ts';
import { type ElicitResult, type FormQuestion, type QuestionHandler, terminalQuestions } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { shellWord } from '../../model/shell-word.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, type Options, repeatable } from '../command.ts';
import { type ExitCode, exitCodes, Interrupted } from '../exit-codes.ts';
import type { CommandConsentOptions } from '../host/command-consent.ts';
import { noteAbout } from '../printer.ts';
import { canAsk } from '../shell.ts';
import { formAnswers, GivenAnswers } from './given-answers.ts';

export const answerOptions = {
  answer: repeatable('key=value', 'Answer a form field when the tool asks'),
} as const satisfies Options;

export class QuestionAnswerer {
  /** Handlers for the host. Sampling is not offered, because there is no model. */
  readonly host: Required<Pick<CommandConsentOptions, 'onInterrupt'>> & { readonly questions: QuestionHandler };
  readonly #by: CommandContext;
  readonly #given: GivenAnswers;
  readonly #terminal: Required<QuestionHandler>;
  readonly #abort: AbortController = new AbortController();
  #reason: Error | undefined;

  /** `server` is shown instead of the label if the user typed a URL. */
  constructor(by: CommandContext, answers: readonly string[] | undefined, server?: string) {
    const { stdin: input, stderr: output, clock } = by.shell;
    this.#by = by;
    this.#given = new GivenAnswers(answers);
    const onInterrupt = (): void => this.#stop(new Interrupted('Ctrl-C at a question'));
    this.#terminal = terminalQuestions({ input, output, clock, onInterrupt }) as Required<QuestionHandler>; // it has all of them
    const { open, visiting } = this.#terminal;
    const shown = <T extends object>(asked: T): T => (server === undefined ? asked : { ...asked, server });
    this.host = {
      onInterrupt,
      questions: {
        form: (question, signal) => this.#unlessStopped(() => this.#form(shown(question), signal)),
        open,
        visiting: (visit, signal) =>
          this.#unlessStopped(() => by.print.lendTerminal(() => visiting(shown(visit), signal))),
      },
    };
  }

  /**
   * Runs `work` with a signal that is aborted if a question ends the command. Exit code 2 if an `--answer` was not used, which is
   * known only at the end.
   */
  async during(work: (signal: AbortSignal) => Promise<ExitCode | undefined>): Promise<ExitCode | undefined> {
    const { shell, print } = this.#by;
    const exit = await work(AbortSignal.any([shell.signal, this.#abort.signal])).catch((error: unknown) => {
      throw this.#reason ?? error;
    });
    const { unused, asked } = this.#given;
    for (const name of unused) print.note(printable(`--answer ${name} was not used: the server asked for ${asked}`));
    return unused.length > 0 ? exitCodes.usage : exit;
  }

  /** Ends the command with `reason`, without waiting for the question. */
  #stop(reason: Error): void {
    this.#reason ??= reason;
    this.#abort.abort(reason);
  }

  /** Never resolves if the question ended the command: a decline would reach the server as an answer. */
  async #unlessStopped<T>(ask: () => Promise<T>): Promise<T> {
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
      noteAbout(server, `"${message}" was answered with ${JSON.stringify(answer.content)}`, this.#by.print);
      return answer;
    }
    if (canAsk(this.#by.shell))
      return this.#by.print.lendTerminal(() =>
        this.#terminal.form({ ...question, values: { ...values, ...given } }, signal),
      );
    const { properties, required = [] } = requestedSchema;
    const names = required.length > 0 ? required : Object.keys(properties);
    const how = `pass ${names.map((name) => `--answer ${shellWord(name)}=…`).join(' ')}, or run this in a terminal`;
    const [unused] = this.#given.unused;
    if (answer !== undefined) throw badArgument('--answer', `${String(answer)}; ${how}`);
    if (unused !== undefined)
      throw badArgument(`--answer ${unused}`, `the server asks for ${names.join(', ')}; ${how}`);
    noteAbout(server, `"${message}" was declined: not running in a terminal; ${how}`, this.#by.print);
    return { action: 'decline' };
  }
}
