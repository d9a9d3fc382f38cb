/** Asks for consent on the terminal, and remembers approvals to start configured servers. */
import { McpError } from '../../errors.ts';
import { type Consent, type ConsentAnswer, type ConsentQuestion, terminalConsent } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { Interrupted } from '../exit-codes.ts';
import { noteAbout } from '../printer.ts';
import { canAsk } from '../shell.ts';
import type { CommandTarget } from '../target/target.ts';
import { allowingRule } from './denial-text.ts';
import { askToOpen } from './gate-settings.ts';

/** Each command is a new host, so approvals to start a server are stored for 90 days. */
const REMEMBERED_MS: number = 90 * 24 * 60 * 60 * 1000;

export interface CommandConsentOptions {
  /** By label. */
  readonly targets: ReadonlyMap<string, CommandTarget>;
  /** Gives a question exclusive use of the terminal; a chat hides its prompt meanwhile. Default: hides the progress bar. */
  readonly lendTerminal?: <T>(ask: () => Promise<T>) => Promise<T>;
  /** The user pressed Ctrl-C at a question. */
  readonly onInterrupt?: (() => void) | undefined;
}

export class CommandConsent implements Consent {
  readonly #by: CommandContext;
  readonly #options: CommandConsentOptions;
  readonly #terminal: Consent;
  /** The last question about opening a server that was not approved. */
  #declined: ConsentQuestion | undefined;
  #interrupted = false;

  constructor(by: CommandContext, options: CommandConsentOptions) {
    const { stdin: input, stderr: output, clock } = by.shell;
    this.#by = by;
    this.#options = options;
    this.#terminal = terminalConsent({ input, output, clock, onInterrupt: () => this.#interrupt() });
  }

  async ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    const opens = isOpening(question);
    const answer = await this.#answer(question, signal);
    // Ctrl-C ends the command, so never resolves: a decline would reach the server as an answer.
    if (this.#interrupted && !opens && this.#options.onInterrupt !== undefined) return new Promise(() => undefined);
    if (opens && !answer.allow) this.#declined = question;
    if (!opens || !answer.allow) return answer;
    const until = this.#by.shell.clock.wall() + REMEMBERED_MS;
    return { ...answer, remember: { for: answer.remember?.for ?? 'these arguments', until } };
  }

  /** Explains the error of a server that was not approved, with the option or rule that approves it. Returns other errors unchanged. */
  explain(error: unknown): unknown {
    if (this.#interrupted) return new Interrupted('Ctrl-C at a question', { cause: error });
    const declined = this.#declined;
    if (declined === undefined || !(error instanceof McpError && error.code === 'MCP_DENIED')) return error;
    const { kind, name, server } = declined.act;
    const target = this.#options.targets.get(server);
    const label = target?.label ?? server;
    if (canAsk(this.#by.shell)) return badArgument(label, 'you declined, so the server was not opened');
    const { from } = target?.source ?? {};
    if (from === undefined) {
      const rule = printable(String(error.details['rule']));
      const what = `${kind === 'spawn' ? 'starting' : 'connecting to'} ${printable(name)}`;
      const why = `the rule "${rule}" requires your approval for ${what}, and this is not running in a terminal. Put this rule before it: ${allowingRule(declined.act)}`;
      return badArgument(label, why);
    }
    const what = `${kind === 'spawn' ? 'starts' : 'connects to'} ${printable(name)}`;
    const why = `this server ${what} (${from.file}, line ${from.line}) and is not approved yet. Check this line, then pass --yes or approve the server in a terminal`;
    return badArgument(label, why);
  }

  async #answer(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    const { lendTerminal = (ask) => this.#by.print.lendTerminal(ask) } = this.#options;
    const { kind, name, server, arguments: args } = question.act;
    if (canAsk(this.#by.shell)) return lendTerminal(() => this.#terminal.ask(this.#withSource(question), signal));
    if (kind === 'visit') {
      const { message } = args;
      const why = typeof message === 'string' ? ` ("${message}")` : '';
      noteAbout(server, `the request to open ${name}${why} was declined: not running in a terminal`, this.#by.print);
    }
    return { allow: false, reason: `${question.why}, and this is not running in a terminal` };
  }

  /** Adds the configuration file to the question itself: a separate note could appear inside another open question. */
  #withSource(question: ConsentQuestion): ConsentQuestion {
    const { from } = this.#options.targets.get(question.act.server)?.source ?? {};
    if (from === undefined || !isOpening(question)) return question;
    const source = `${from.file}, line ${from.line}, names this server`;
    const { rule, why } = question;
    return { ...question, why: rule === askToOpen.text ? source : `${source}, and ${why} (rule: ${rule})` };
  }

  #interrupt(): void {
    this.#interrupted = true;
    this.#options.onInterrupt?.();
  }
}

const isOpening = ({ act }: ConsentQuestion): boolean => act.kind === 'spawn' || act.kind === 'connect';
