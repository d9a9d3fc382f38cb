/** What servers ask while a command runs: answered by `--answer`, by the person at the terminal, or declined and told. */
import type { ConnectOptions, FormRequest, QuestionContext, UrlRequest } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import type { Gate } from '../../host/gate/gate.ts';
import { ActiveCalls } from '../../host/questions/active-calls.ts';
import { Elicitation } from '../../host/questions/elicitation.ts';
import { questionsOnTerminal } from '../../host/questions/terminal-questions.ts';
import type { ElicitResult } from '../../model/elicitation.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext, Options } from '../command.ts';
import { type ExitCode, exitCodes, Interrupted } from '../exit-codes.ts';
import { sanitizeIndented } from '../printer.ts';
import { canAsk } from '../shell.ts';
import { accepted, GivenAnswers } from './given-answers.ts';

export const answerOptions = {
  answer: {
    type: 'string',
    multiple: true,
    value: 'key=value',
    about: "Answer this field of a server's form; may be repeated",
  },
} as const satisfies Options;

const interruption = (): Interrupted => new Interrupted('Ctrl-C at a question');

export interface AnsweringOptions {
  /** Who asks, in messages. */
  readonly label: string;
  readonly answers: readonly string[] | undefined;
  /** Clears the line before somebody is asked or told. */
  readonly interrupt?: () => void;
}

export class QuestionAnswerer {
  /** Answers questions as soon as it is connected with. There is no model here, and none is offered: a server may then do without. */
  readonly connect: Pick<ConnectOptions, 'elicit'>;
  readonly #by: CommandContext;
  readonly #options: AnsweringOptions;
  readonly #given: GivenAnswers;
  readonly #terminal: Elicitation;
  readonly #over: AbortController = new AbortController();
  #reason: Error | undefined;

  constructor(by: CommandContext, options: AnsweringOptions) {
    const { shell } = by;
    this.#by = by;
    this.#options = options;
    this.#given = new GivenAnswers(options.answers);
    this.#terminal = new Elicitation({
      server: { label: options.label, facts: () => ({ server: options.label }) },
      questions: questionsOnTerminal({ input: shell.stdin, output: shell.stderr }, () => this.#stop(interruption())),
      gate: this.#gate(),
      activeCalls: new ActiveCalls(),
      clock: shell.clock,
    });
    this.connect = {
      elicit: {
        form: (request, context) => this.#unlessOver(() => this.#form(request, context)),
        url: (request, context) => this.#unlessOver(() => this.#visit(request, context)),
        required: (requests, context) => this.#unlessOver(() => this.#required(requests, context)),
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
  async #unlessOver<T>(answer: () => Promise<T>): Promise<T> {
    const said = await answer().catch((error: unknown) => {
      if (!(error instanceof Interrupted || (error instanceof McpError && error.code === 'MCP_BAD_ARGUMENT')))
        throw error;
      this.#stop(error);
      return undefined;
    });
    return said === undefined || this.#reason !== undefined ? new Promise(() => undefined) : said;
  }

  async #form(request: FormRequest, context: QuestionContext): Promise<ElicitResult> {
    const given = this.#given.for(request);
    const answer = Object.keys(given).length === 0 ? undefined : accepted(request, given);
    if (typeof answer === 'object') {
      this.#tell(`"${request.message}" was answered with ${JSON.stringify(answer.content)}`);
      return answer;
    }
    if (canAsk(this.#by.shell)) {
      this.#options.interrupt?.();
      const asked = { ...request, defaults: { ...request.defaults, ...given } };
      return (await this.#terminal.handlers.form?.(asked, context)) ?? { action: 'cancel' };
    }
    const { properties, required = [] } = request.requestedSchema;
    const names = required.length > 0 ? required : Object.keys(properties);
    const how = `answer with ${names.map((name) => `--answer ${name}=…`).join(' ')}, or on a terminal`;
    const [unused] = this.#given.unused;
    if (answer !== undefined) throw badArgument('--answer', `${answer}; ${how}`);
    if (unused !== undefined)
      throw badArgument(`--answer ${unused}`, `the server asks for ${names.join(', ')}; ${how}`);
    this.#tell(`"${request.message}" was declined: not running in a terminal; ${how}`);
    return { action: 'decline' };
  }

  async #visit(request: UrlRequest, context: QuestionContext): Promise<Pick<ElicitResult, 'action'>> {
    if (canAsk(this.#by.shell)) {
      this.#options.interrupt?.();
      return (await this.#terminal.handlers.url?.(request, context)) ?? { action: 'cancel' };
    }
    this.#tellVisit(request);
    return { action: 'decline' };
  }

  async #required(requests: readonly UrlRequest[], context: QuestionContext): Promise<boolean> {
    if (canAsk(this.#by.shell)) {
      this.#options.interrupt?.();
      return (await this.#terminal.handlers.required?.(requests, context)) ?? false;
    }
    for (const request of requests) this.#tellVisit(request);
    return false;
  }

  #tellVisit({ url, message }: UrlRequest): void {
    this.#tell(`it wants you to visit ${url} ("${message}"): declined, nobody sits at a terminal`);
  }

  /** A form is agreed to by sending it. An address is shown, and opened by nobody but the person who agrees. */
  #gate(): Gate {
    const { shell, print } = this.#by;
    return {
      attended: true,
      foresee: () => 'allow',
      explain: async () => [],
      async pass(act, run, { warnings = [] } = {}) {
        if (act.kind === 'visit') {
          print.note(`The server "${printable(act.server)}" wants you to visit\n  ${printable(act.name)}`);
          const { message } = act.arguments;
          if (typeof message === 'string') print.note(`  ${sanitizeIndented(message)}`);
          for (const warning of warnings) print.note(`  ! ${printable(warning)}`);
          if (!/^y(?:es)?$/i.test(await askOnTerminal(shell, 'Go there? [y/N] ')))
            throw new McpError('MCP_DENIED', { what: act.name, why: 'you said no', rule: 'you', id: '' });
        }
        return run({ id: '', arguments: act.arguments });
      },
    };
  }

  #tell(text: string): void {
    const { print } = this.#by;
    this.#options.interrupt?.();
    print.note(`${print.style('yellow', printable(this.#options.label), 'stderr')}: ${sanitizeIndented(text)}`);
  }
}
