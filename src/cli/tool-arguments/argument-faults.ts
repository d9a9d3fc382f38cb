/** Collects all errors in the arguments of a call, so that the user can correct them at once. */
import { McpError } from '../../errors.ts';
import { badArgument } from '../arguments.ts';

const MAX_SHOWN = 8;

export class ArgumentFaults {
  readonly #faults: { readonly argument: string; readonly why: string }[] = [];

  add(argument: string, why: string): void {
    this.#faults.push({ argument, why });
  }

  /** Runs `read`, and collects an `MCP_BAD_ARGUMENT`. Rethrows other errors. */
  collect(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== 'MCP_BAD_ARGUMENT') throw error;
      const { argument, why } = error.details as { readonly argument: string; readonly why: string }; // the parameters of its message
      this.add(argument, why);
    }
  }

  /** Throws one error with all faults and the call syntax, if there is a fault. */
  throwIfAny(syntax: string): void {
    const [first, ...others] = this.#faults;
    if (first === undefined) return;
    const shown = others.slice(0, MAX_SHOWN - 1).map(({ argument, why }) => `${argument}: ${why}`);
    const more = others.length - shown.length;
    const lines = [first.why, ...shown, ...(more === 0 ? [] : [`and ${more} more`]), syntax];
    throw badArgument(first.argument, lines.join('\n  '));
  }
}
