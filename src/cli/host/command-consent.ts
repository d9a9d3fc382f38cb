/** Asking on the terminal before something is done: the host's dialogue, with what a command line adds to it. */
import { McpError } from '../../errors.ts';
import { type Consent, type ConsentAnswer, type ConsentQuestion, terminalConsent } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { Interrupted } from '../exit-codes.ts';
import { sanitizeIndented } from '../printer.ts';
import { canAsk } from '../shell.ts';
import type { CommandTarget } from '../target/target.ts';
import { allowingRule } from './denial-text.ts';
import { askToOpen } from './gate-settings.ts';

/** A command line is a new host each time: a yes to starting a server would otherwise be asked for again and again. */
const REMEMBERED_MS: number = 90 * 24 * 60 * 60 * 1000;

export interface CommandConsentOptions {
  /** By label. */
  readonly targets: ReadonlyMap<string, CommandTarget>;
  /** Lends the terminal to a question; a chat has to give up its own prompt first. */
  readonly lendTerminal?: <T>(ask: () => Promise<T>) => Promise<T>;
  /** The user pressed Ctrl-C at a question. */
  readonly onInterrupt?: () => void;
}

export class CommandConsent implements Consent {
  readonly #by: CommandContext;
  readonly #options: CommandConsentOptions;
  readonly #terminal: Consent;
  /** The last server that was not allowed to open. */
  #refused: ConsentQuestion | undefined;
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
    // A question that ended the command is not answered at all: the server would take a decline for an answer.
    if (this.#interrupted && !opens && this.#options.onInterrupt !== undefined) return new Promise(() => undefined);
    if (opens && !answer.allow) this.#refused = question;
    if (!opens || !answer.allow) return answer;
    const until = this.#by.shell.clock.wall() + REMEMBERED_MS;
    return { ...answer, remember: { for: answer.remember?.for ?? 'these arguments', until } };
  }

  /** What to tell the user where a server was not opened because the user has not agreed; every other error stays as it is. */
  explain(error: unknown): unknown {
    if (this.#interrupted) return new Interrupted('Ctrl-C at a question', { cause: error });
    const refused = this.#refused;
    if (refused === undefined || !(error instanceof McpError && error.code === 'MCP_DENIED')) return error;
    const { kind, name, server } = refused.act;
    const target = this.#options.targets.get(server);
    const label = target?.label ?? server;
    if (canAsk(this.#by.shell)) return badArgument(label, 'you did not agree, so nothing was started');
    const what = `${kind === 'spawn' ? 'starts' : 'connects to'} ${printable(name)}`;
    const { from } = target?.source ?? {};
    if (from === undefined) {
      const rule = printable(String(error.details['rule']));
      const why = `it ${what}, which the rule "${rule}" asks about, and this is not running in a terminal. Put this rule before it: ${allowingRule(refused.act)}`;
      return badArgument(label, why);
    }
    const why = `it ${what} (${from.file}, line ${from.line}), which you have not agreed to yet; look at it, then pass --yes or agree on a terminal`;
    return badArgument(label, why);
  }

  async #answer(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    const { lendTerminal = (ask) => ask() } = this.#options;
    const { kind, name, server, arguments: args } = question.act;
    if (canAsk(this.#by.shell)) return lendTerminal(() => this.#terminal.ask(this.#withSource(question), signal));
    if (kind === 'visit') {
      const { message } = args;
      const why = typeof message === 'string' ? ` ("${message}")` : '';
      this.#note(server, `it wants you to visit ${name}${why}: declined, not running in a terminal`);
    }
    return { allow: false, reason: `${question.why}, and this is not running in a terminal` };
  }

  /** Within the question: a note before it would stand in the middle of the one that is on the terminal. */
  #withSource(question: ConsentQuestion): ConsentQuestion {
    const { from } = this.#options.targets.get(question.act.server)?.source ?? {};
    if (from === undefined || !isOpening(question)) return question;
    const source = `${from.file}, line ${from.line}, names this server`;
    const { rule, why } = question;
    return { ...question, why: rule === askToOpen.text ? source : `${source}, and ${why} (rule: ${rule})` };
  }

  #note(server: string, text: string): void {
    const { print } = this.#by;
    print.note(`${print.style('yellow', printable(server), 'stderr')}: ${sanitizeIndented(text)}`);
  }

  #interrupt(): void {
    this.#interrupted = true;
    this.#options.onInterrupt?.();
  }
}

const isOpening = ({ act }: ConsentQuestion): boolean => act.kind === 'spawn' || act.kind === 'connect';
