/** Reads lines and runs each of them, from a terminal or a pipe. */
import { createInterface } from 'node:readline';
import { McpError } from '../../errors.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import { Deferred } from '../../peer/wait.ts';
import { errorText } from '../error-text.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { explainDenial } from '../host/denial-text.ts';
import { askModel } from './agent.ts';
import type { Chat } from './chat.ts';
import { slashCommand } from './slash-commands.ts';
import type { ChatTerminal } from './terminal.ts';

export const runConsole = (chat: Chat, terminal: ChatTerminal | undefined): Promise<ExitCode> =>
  terminal === undefined ? runPipedLines(chat) : runTypedLines(terminal, chat);

async function runTypedLines(terminal: ChatTerminal, chat: Chat): Promise<ExitCode> {
  for (;;) {
    const line = await terminal.read();
    if (chat.shell.signal.aborted) return exitCodes.interrupted;
    if (line === undefined || isQuit(line)) return exitCodes.done;
    const run = new LineRun(chat);
    const stop = terminal.watch(() => run.interrupt());
    const ended = await run.execute(line);
    stop();
    if (ended === 'left') return exitCodes.interrupted;
  }
}

/** Resolves with the exit code of the first line that failed. */
async function runPipedLines(chat: Chat): Promise<ExitCode> {
  const { stdin, signal } = chat.shell;
  if (signal.aborted) return exitCodes.interrupted;
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  signal.addEventListener('abort', () => lines.close());
  let first: ExitCode | undefined;
  for await (const line of lines) {
    if (signal.aborted || isQuit(line)) break;
    chat.screen.note(`> ${printable(line)}`);
    const ended = await new LineRun(chat).execute(line);
    if (ended !== 'left') first ??= ended;
  }
  lines.close();
  return signal.aborted ? exitCodes.interrupted : (first ?? exitCodes.done);
}

const isQuit = (line: string): boolean => /^\s*\/(?:quit|exit|q)\s*$/.test(line);

/** The execution of one line. */
class LineRun {
  readonly #chat: Chat;
  readonly #abort: AbortController = new AbortController();
  readonly #left: Deferred<'left'> = new Deferred();

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  /** The first Ctrl-C cancels the line; the second quits without waiting for it. */
  interrupt(): void {
    if (this.#abort.signal.aborted) this.#left.resolve('left');
    else this.#chat.screen.note('Cancelling. Ctrl-C again quits.');
    this.#abort.abort(new McpError('MCP_CANCELLED', { method: 'The command', why: 'you pressed Ctrl-C' }));
  }

  /** Resolves with `left` if the user quit. Never rejects. */
  execute(line: string): Promise<ExitCode | 'left' | undefined> {
    return Promise.race([this.#left.promise, this.#run(line)]);
  }

  async #run(line: string): Promise<ExitCode | undefined> {
    const text = line.trim();
    if (text === '') return undefined;
    const signal = AbortSignal.any([this.#abort.signal, this.#chat.shell.signal]);
    try {
      if (!text.startsWith('/')) return await askModel(text, this.#chat, signal);
      const [word = '', ...words] = splitLine(text);
      return (await slashCommand(word).run(words, this.#chat, signal)) ?? undefined;
    } catch (error) {
      this.#report(error);
      return exitCodeOf(error);
    }
  }

  #report(error: unknown): void {
    const { screen, acts } = this.#chat;
    const { print } = screen;
    const message = errorText(error);
    const code = error instanceof McpError ? error.code : undefined;
    if (print.json) screen.result({ type: 'error', message, ...(code === undefined ? {} : { code }) }, []);
    const { why = '', id = '' } = error instanceof McpError ? (error.details as Readonly<Record<string, string>>) : {}; // the parameters of its message
    const denied = code === 'MCP_DENIED' ? acts.deniedAct(id) : undefined;
    if (denied !== undefined) {
      const { word, text } = explainDenial(denied, why);
      screen.note(`${print.style('red', word, 'stderr')}: ${text}; /explain ${acts.numberOf(id)} shows why`);
    } else if (code === 'MCP_CANCELLED') screen.note(print.style('yellow', 'cancelled', 'stderr'));
    else screen.note(`${print.style('red', 'error', 'stderr')} ${printableIndented(message)}`);
  }
}

/** A word with shell-like quotes. A quote opens only at the start of a word or after its first `=`; elsewhere, as in JSON, it is a character. */
const word = /(?:([^\s"'=]+=)|(?=\S))(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S*))/g;

export function splitLine(line: string): readonly string[] {
  return [...line.matchAll(word)].flatMap(([whole, key = '', double, single, bare = '']) => {
    if (whole === '') return [];
    if (double !== undefined) return [key + double.replace(/\\(["\\])/g, '$1')];
    return [key + (single ?? bare)];
  });
}
