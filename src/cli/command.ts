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

export const flag = (about: string, short?: string): Option & { readonly type: 'boolean' } => ({
  type: 'boolean',
  about,
  ...(short === undefined ? {} : { short }),
});

export const withValue = (value: string, about: string): Option & { readonly type: 'string' } => ({
  type: 'string',
  value,
  about,
});

export const repeatable = (
  value: string,
  about: string,
): Option & { readonly type: 'string'; readonly multiple: true } => ({
  type: 'string',
  multiple: true,
  value,
  about: `${about} (repeatable)`,
});

/** What was given for an option: nothing, if it was left out. */
type OptionValue<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : string;
export type Values<O extends Options> = { readonly [K in keyof O]?: OptionValue<O[K]> };

export interface ParsedArguments<O extends Options = Options> {
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

/** All that a command works with: what was typed, and what is around it. */
export interface CommandInput<O extends Options = Options> extends ParsedArguments<O>, CommandContext {}

/** How a command ended; nothing means well. */
export type CommandOutcome = Promise<ExitCode | undefined> | Promise<void>;

export interface CliCommand<O extends Options = Options> {
  /** As it is typed: one word, or two. */
  readonly name: string;
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
  explain?(input: CommandInput<O>): Promise<ExitCode | undefined>;
  /** Throws an `McpError` for everything that went wrong. */
  run(input: CommandInput<O>): CommandOutcome;
}

/** Lets the compiler see which options `run` gets. */
export function command<const O extends Options>(name: string, definition: Omit<CliCommand<O>, 'name'>): CliCommand {
  // `run` only ever gets what was read by its own options.
  return { name, ...definition } as unknown as CliCommand;
}
