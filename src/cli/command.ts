/** The type of a command: name, options, help and `run`. Each file in `commands/` defines one or more. */
import type { ExitCode } from './exit-codes.ts';
import type { Printer } from './printer.ts';
import type { Shell } from './shell.ts';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: true;
  /** Placeholder of the value in the help: `--timeout <seconds>`. */
  readonly value?: string;
  /** The value can be left out, and is then empty. The next word is the value only if it matches. */
  readonly optional?: RegExp;
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

type OptionValue<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : string;
export type Values<O extends Options> = { readonly [K in keyof O]?: OptionValue<O[K]> };

export interface ParsedArguments<O extends Options = Options> {
  readonly values: Values<O>;
  /** Positional arguments, without the command name. */
  readonly words: readonly string[];
  /** Arguments after `--`; undefined without a `--`. */
  readonly after: readonly string[] | undefined;
}

export interface CommandContext {
  readonly shell: Shell;
  readonly print: Printer;
}

export interface CommandInput<O extends Options = Options> extends ParsedArguments<O>, CommandContext {}

/** The exit code; undefined is 0. */
export type CommandOutcome = Promise<ExitCode | undefined> | Promise<void>;

export interface CliCommand<O extends Options = Options> {
  /** One or two words: `list`, `servers add`. */
  readonly name: string;
  /** What follows the name, one line per form: `<target> <tool> [key=value …]`. */
  readonly usage: readonly string[];
  /** One imperative sentence; after a blank line, paragraphs. Lines indented by two spaces are table rows. */
  readonly about: string;
  readonly options: O;
  /** Exit codes with a meaning specific to this command. */
  readonly exits?: readonly (readonly [code: ExitCode, meaning: string])[];
  /** Command lines to try, with a comment where needed. */
  readonly examples: readonly (readonly [line: string, what?: string])[];
  /** Handles `--help` after further arguments, such as `call <target> <tool> --help`. Undefined shows the help of the command. */
  explain?(input: CommandInput<O>): Promise<ExitCode | undefined>;
  /** Throws an `McpError` on failure. */
  run(input: CommandInput<O>): CommandOutcome;
}

/** Defines a command. Infers the type of the `values` that `run` gets from `options`. */
export function command<const O extends Options>(name: string, definition: Omit<CliCommand<O>, 'name'>): CliCommand {
  // `run` gets only values that were parsed with its own options.
  return { name, ...definition } as unknown as CliCommand;
}
