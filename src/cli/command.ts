/** What a command is: its words, its help, and what it does. One file in `commands/` for each. */
import type { ExitCode } from './exit-codes.ts';
import type { Printer } from './printer.ts';
import type { Shell } from './shell.ts';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: true;
  /** How its value is called in the help, for those that have one: `--timeout <seconds>`. */
  readonly value?: string;
  /** The value may be left out, and is empty then; the next word is taken for it only if it looks like this. */
  readonly optional?: RegExp;
  /** One line of help. */
  readonly about: string;
}
export type Options = Readonly<Record<string, Option>>;

/** What was given for an option: nothing, if it was left out. */
type OptionValue<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : string;
export type Values<O extends Options> = { readonly [K in keyof O]?: OptionValue<O[K]> };

/** The command line, read. */
export interface Input<O extends Options = Options> {
  readonly values: Values<O>;
  /** The words that are no options, without the name of the command. */
  readonly words: readonly string[];
  /** What came after `--`; undefined when there was none. */
  readonly after: readonly string[] | undefined;
}

export interface CommandContext {
  readonly shell: Shell;
  readonly print: Printer;
}

export interface CliCommand<O extends Options = Options> {
  /** What follows the name, one line for each form: `<target> <tool> [key=value …]`. */
  readonly usage: readonly string[];
  /** One imperative sentence; then, after a blank line, paragraphs. Lines that begin with two blanks are rows of a table. */
  readonly about: string;
  readonly options: O;
  /** Where it has more than 0 and 1, or where 1 means something of its own. */
  readonly exits?: readonly (readonly [code: ExitCode, meaning: string])[];
  /** Lines that can be tried, with a comment where they do not explain themselves. */
  readonly examples: readonly (readonly [line: string, what?: string])[];
  /** What `--help` shows where it was typed behind more than the command; undefined for the help of the command. */
  explain?(input: Input<O>, context: CommandContext): Promise<ExitCode | undefined>;
  /** Says how it ended; nothing means well. Throws an `McpError` for everything that went wrong. */
  run(input: Input<O>, context: CommandContext): Promise<ExitCode | undefined>;
}

/** With the name under which it is typed: one word, or two. */
export interface NamedCommand extends CliCommand {
  readonly name: string;
}

/** Lets the compiler see which options `run` gets. */
export function command<const O extends Options>(definition: CliCommand<O>): CliCommand {
  // `run` only ever gets what was read by its own options.
  return definition as unknown as CliCommand;
}
