/** Opens a chat: a host whose questions are asked on this terminal, its servers, and the console in front of it. */
import { terminalConsent } from '../../host/consent/terminal-consent.ts';
import { queueOnTerminal } from '../../host/consent/terminal-queue.ts';
import { createHost } from '../../host/create-host.ts';
import type { HostOptions } from '../../host/host.ts';
import type { QuestionHandler } from '../../host/questions/question-handler.ts';
import { terminalQuestions } from '../../host/questions/terminal-questions.ts';
import { printable } from '../../model/printable.ts';
import type { CommandContext } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { canAsk, type Shell } from '../shell.ts';
import { Acts } from './acts.ts';
import { offeredIn } from './catalogue-text.ts';
import type { Chat } from './chat.ts';
import { completeLine } from './complete-line.ts';
import { converse } from './console.ts';
import { Screen } from './screen.ts';
import { showCatalogue } from './slash/tools.ts';
import { ChatTerminal } from './terminal.ts';

export interface ChatOptions
  extends Pick<HostOptions, 'servers' | 'policy' | 'audit' | 'model' | 'timeouts' | 'auth' | 'secrets' | 'inputs'> {
  /** Shows what servers write on standard error, and what the host makes of them, too. */
  readonly verbose?: boolean;
  /** Said after the catalogue. */
  readonly hint?: readonly string[];
}

/** Runs until they leave. Everything is closed when it resolves. */
export async function runChat(options: ChatOptions, { shell, print }: CommandContext): Promise<ExitCode> {
  const acts = new Acts(options.audit);
  const opened: { chat?: Chat } = {};
  const complete = async (line: string): Promise<[string[], string]> =>
    opened.chat === undefined ? [[], line] : completeLine(line, opened.chat.host, opened.chat.session);
  const prompt = `${print.style('bold', 'mooring', 'stderr')} ${print.style('cyan', '›', 'stderr')} `;
  const terminal = canAsk(shell) ? new ChatTerminal(shell, { prompt, complete }) : undefined;
  const screen = new Screen(shell, print, terminal);
  const { verbose: _verbose, hint: _hint, ...hosting } = options;
  await using host = createHost({
    ...hosting,
    audit: acts,
    name: 'mooring',
    clock: shell.clock,
    onWarning: (warning) => screen.note(print.style('yellow', printable(warning), 'stderr')),
    ...asking(screen, shell, options),
  });
  await using session = host.session({ principal: shell.env['USER'] ?? shell.env['USERNAME'] ?? 'you' });
  const chat: Chat = { shell, host, session, screen, acts, hasModel: options.model !== undefined };
  opened.chat = chat;
  return await inFront(chat, terminal, options);
}

/** Whoever asks on the terminal has it to themselves. */
function asking(
  screen: Screen,
  shell: Shell,
  { inputs, secrets }: ChatOptions,
): Pick<HostOptions, 'consent' | 'questions' | 'inputs' | 'secrets'> {
  const { stdin: input, stderr: output, clock } = shell;
  const consent = terminalConsent({ input, output, clock });
  const { form, open, visiting } = terminalQuestions({ input, output, clock });
  const questions: QuestionHandler = {
    form: (question, signal) => screen.away(() => form(question, signal)),
    ...(open === undefined ? {} : { open: (url, signal) => screen.away(() => open(url, signal)) }),
    ...(visiting === undefined ? {} : { visiting: (visit, signal) => screen.away(() => visiting(visit, signal)) }),
  };
  const alone = async <T>(ask: () => T | Promise<T>): Promise<T> =>
    screen.away(() => queueOnTerminal(input, async () => ask()));
  return {
    consent: (question, signal) => screen.away(() => consent.ask(question, signal)),
    questions,
    ...(inputs === undefined ? {} : { inputs: (one, by) => alone(() => inputs(one, by)) }),
    ...(secrets === undefined ? {} : { secrets: (name, by) => alone(() => secrets(name, by)) }),
  };
}

async function inFront(chat: Chat, terminal: ChatTerminal | undefined, options: ChatOptions): Promise<ExitCode> {
  const { host, session, screen, shell } = chat;
  const opening = await openServers(chat, terminal);
  if (shell.signal.aborted || opening === 'left') return exitCodes.interrupted;
  for (const server of host.servers.values()) {
    server.onLog((line) => {
      // What a server logs is for the user; the rest is for whoever looks for a fault.
      if (options.verbose === true || !/^(?:host|stderr|stdout): /.test(line))
        screen.note(logText(server.label, line, chat));
    });
    server.onState((state) => {
      if (state === 'failed') screen.note(`${server.label} failed; /log ${server.label} says why`);
    });
  }
  await showCatalogue(await offeredIn(session), chat, { whole: true });
  for (const line of options.hint ?? []) screen.note(line);
  return converse(chat, terminal);
}

const logText = (label: string, line: string, { screen: { print } }: Chat): string =>
  print.style('dim', `${label} │ ${printable(line)}`, 'stderr');

/** All at once. Throws why, if none could be opened. */
async function openServers(
  { host, screen, shell }: Chat,
  terminal: ChatTerminal | undefined,
): Promise<'left' | undefined> {
  const all = [...host.servers.values()];
  const over = new AbortController();
  const stop = terminal?.watch(() => over.abort());
  const bar = screen.progress('Opening servers');
  let ready = 0;
  const signal = AbortSignal.any([over.signal, shell.signal]);
  bar.update({ progress: 0, total: all.length });
  const opened = await Promise.allSettled(
    all.map(async (server) => {
      await server.client(signal);
      bar.update({ progress: ++ready, total: all.length, message: server.label });
    }),
  );
  bar.end();
  stop?.();
  if (over.signal.aborted) return 'left';
  const [failed] = opened.flatMap((one) => (one.status === 'rejected' ? [one] : []));
  if (ready === 0 && failed !== undefined) throw failed.reason;
  return undefined;
}
