/** Finds every mistake in the arguments of one call, so that the user can correct all of them at once. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';

/** More is not read at once. */
const MAX_SHOWN = 8;

export class ArgumentFaults {
  readonly #faults: { readonly argument: string; readonly why: string }[] = [];

  add(argument: string, why: string): void {
    this.#faults.push({ argument, why });
  }

  /** Keeps what is thrown as `MCP_BAD_ARGUMENT`. */
  during(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== 'MCP_BAD_ARGUMENT') throw error;
      const { argument, why } = error.details as { readonly argument: string; readonly why: string }; // those of its text
      this.add(argument, why);
    }
  }

  /** With how the call is written, if anything is wrong. */
  throwIfAny(syntax: string): void {
    const [first, ...others] = this.#faults;
    if (first === undefined) return;
    const shown = others.slice(0, MAX_SHOWN - 1).map(({ argument, why }) => `${argument}: ${why}`);
    const more = others.length - shown.length;
    const lines = [first.why, ...shown, ...(more === 0 ? [] : [`and ${more} more`]), syntax];
    throw badArgument(first.argument, lines.join('\n  '));
  }
}
