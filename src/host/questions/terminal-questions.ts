/** Asks questions of servers on a terminal. Prints URLs for the user to open, and never opens them itself. */
import process from 'node:process';
import { canPrompt, queueOnTerminal, type TerminalPrompt, withPrompt } from '../../terminal/terminal-prompt.ts';
import { sanitizeText } from '../consent/question-text.ts';
import type { TerminalOptions } from '../consent/terminal-consent.ts';
import type { QuestionHandler } from './question-handler.ts';
import { askForm } from './terminal-form.ts';

/** Creates a question handler for the terminal. If input or output is not a terminal, forms and visits are cancelled. */
export function terminalQuestions(options: TerminalOptions = {}): QuestionHandler {
  const { input = process.stdin, output = process.stderr, onInterrupt } = options;
  const onLeave = (key: 'Ctrl-C' | 'Ctrl-D'): void => {
    if (key === 'Ctrl-C') onInterrupt?.();
  };
  /** `otherwise` is the result without a terminal, or if the user leaves. */
  const talk = <T>(signal: AbortSignal, run: (talk: TerminalPrompt) => Promise<T>, otherwise: T): Promise<T> =>
    queueOnTerminal(input, async () => {
      if (signal.aborted || !canPrompt({ input, output })) return otherwise;
      return withPrompt({ input, output }, { signal, onLeave }, run).catch(() => otherwise);
    });
  return {
    form: (question, signal) => talk(signal, (lines) => askForm(lines, question), { action: 'cancel' }),
    open: async (url) => void output.write(`\nOpen this address in your browser:\n  ${sanitizeText(url)}\n`),
    visiting: ({ server, host }, signal) =>
      talk<'done' | 'again' | 'cancel'>(
        signal,
        async ({ ask }) => {
          const where = `When you are done at ${sanitizeText(host)} for "${sanitizeText(server)}"`;
          const said = (await ask(`${where}: [enter] go on, [a]gain, [x] cancel: `)).toLowerCase();
          if (said === 'a') return 'again';
          return said === 'x' ? 'cancel' : 'done';
        },
        'cancel',
      ),
  };
}
