/** Questions that the command line itself asks on the terminal. */
import { queueOnTerminal, withPrompt } from '../terminal/terminal-prompt.ts';
import { Interrupted } from './exit-codes.ts';
import type { Shell } from './shell.ts';

/** Reads one line, without echo if `hidden`. Waits for other open questions first. Rejects with `Interrupted` on Ctrl-C and Ctrl-D. */
export function askOnTerminal(
  shell: Shell,
  prompt: string,
  { hidden = false }: { readonly hidden?: boolean } = {},
): Promise<string> {
  const { stdin: input, stderr: output, signal } = shell;
  let left = false;
  const onLeave = (): void => {
    left = true;
  };
  return queueOnTerminal(input, () =>
    withPrompt({ input, output }, { signal, onLeave, hidden }, ({ ask }) => ask(prompt)).catch((thrown: unknown) => {
      throw left ? new Interrupted('the question was left open', { cause: thrown }) : thrown;
    }),
  );
}

/** False unless the user types `y` or `yes`. */
export const confirmOnTerminal = async (shell: Shell, question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test(await askOnTerminal(shell, `${question} [y/N] `));
