/** What servers ask, on a terminal. Addresses are shown for the user to open; nothing here opens them. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { sanitizeText } from '../consent/question-text.ts';
import type { TerminalOptions } from '../consent/terminal-consent.ts';
import { queueOnTerminal } from '../consent/terminal-queue.ts';
import type { QuestionHandler } from './question-handler.ts';
import { askForm, type FormTalk } from './terminal-form.ts';

/** Where input and output are not a terminal, forms and visits are cancelled. */
export function terminalQuestions(options: TerminalOptions = {}): QuestionHandler {
  const { input = process.stdin, output = process.stderr, onInterrupt: interrupted = () => undefined } = options;
  const talk = <T>(signal: AbortSignal, run: (talk: FormTalk) => Promise<T>, otherwise: T): Promise<T> =>
    queueOnTerminal(input, () => onLines({ input, output }, signal, { run, otherwise, interrupted }));
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

interface Running<T> {
  run(talk: FormTalk): Promise<T>;
  /** The answer where this is not a terminal, or the user dismisses the question. */
  readonly otherwise: T;
  interrupted(): void;
}

async function onLines<T>(
  { input, output }: Required<Pick<TerminalOptions, 'input' | 'output'>>,
  signal: AbortSignal,
  { run, otherwise, interrupted }: Running<T>,
): Promise<T> {
  if (signal.aborted || input.isTTY !== true || output.isTTY !== true) return otherwise;
  const lines = createInterface({ input, output, terminal: true });
  const over = new AbortController();
  lines.once('close', () => over.abort());
  lines.once('SIGINT', () => {
    interrupted();
    over.abort();
  });
  const stop = AbortSignal.any([signal, over.signal]);
  try {
    return await run({
      say: (...text) => void output.write(`${text.join('\n')}\n`),
      ask: async (prompt) => (await lines.question(prompt, { signal: stop })).trim(),
    });
  } catch {
    return otherwise;
  } finally {
    lines.close();
  }
}
