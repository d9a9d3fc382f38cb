/** Runs a chat: a host that asks on this terminal, its servers, and the console. */
import {
  createHost,
  type ElicitResult,
  type FormQuestion,
  type HostOptions,
  type QuestionHandler,
  terminalQuestions,
} from '../../host/index.ts';
import { defined } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { CommandContext } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { CommandConsent } from '../host/command-consent.ts';
import { commandUser } from '../host/host-settings.ts';
import { TypedCalls } from '../host/typed-acts.ts';
import { canAsk, type Shell } from '../shell.ts';
import type { CommandTarget } from '../target/target.ts';
import { Acts } from './acts.ts';
import { listCatalogue } from './catalogue-text.ts';
import type { Chat } from './chat.ts';
import { runConsole } from './console.ts';
import { Screen } from './screen.ts';
import { showCatalogue } from './slash/tools.ts';
import { completeLine } from './slash-commands.ts';
import { ChatTerminal } from './terminal.ts';

export interface ChatOptions extends Omit<HostOptions, 'consent' | 'questions' | 'onWarning'> {
  /** By label. */
  readonly targets?: ReadonlyMap<string, CommandTarget>;
  /** Also shows the servers' stderr and the host's messages about them. */
  readonly verbose?: boolean;
  /** Shown after the catalogue. */
  readonly hint?: readonly string[];
}

/** Resolves when the user quits and everything is closed. */
export async function runChat(options: ChatOptions, { shell, print }: CommandContext): Promise<ExitCode> {
  const acts = new Acts(options.audit);
  const opened: { chat?: Chat } = {};
  const complete = async (line: string): Promise<[string[], string]> =>
    opened.chat === undefined ? [[], line] : completeLine(line, opened.chat.host, opened.chat.session);
  const prompt = `${print.style('bold', 'mooring', 'stderr')} ${print.style('cyan', '›', 'stderr')} `;
  const terminal = canAsk(shell) ? new ChatTerminal(shell, { prompt, complete }) : undefined;
  const screen = new Screen(shell, print, terminal);
  const { verbose: _verbose, hint: _hint, targets = new Map(), policy = [], ...hosting } = options;
  const typed = new TypedCalls();
  const lendTerminal = <T>(ask: () => Promise<T>): Promise<T> => screen.lendTerminal(ask);
  const consent = new CommandConsent({ shell, print }, { targets, lendTerminal });
  await using host = createHost({
    name: 'mooring',
    clock: shell.clock,
    ...hosting,
    policy: [...policy, ...typed.rules(options.lockfile !== undefined)],
    ...questionSettings(screen, shell, options),
    audit: acts,
    consent,
    onWarning: (warning) => screen.note(print.style('yellow', printable(warning), 'stderr')),
  });
  await using session = host.session({ principal: commandUser(shell) });
  const chat: Chat = { shell, host, session, screen, acts, typed, hasModel: options.model !== undefined };
  opened.chat = chat;
  return await runSession(chat, terminal, { ...options, explain: (error) => consent.explain(error) });
}

/** Handlers that hide the prompt while they ask on the terminal. */
function questionSettings(
  screen: Screen,
  shell: Shell,
  { inputs, secrets }: ChatOptions,
): Pick<HostOptions, 'questions' | 'inputs' | 'secrets'> {
  const { stdin: input, stderr: output, clock } = shell;
  const { form, open, visiting } = terminalQuestions({ input, output, clock }) as Required<QuestionHandler>; // it has all of them
  return defined<ReturnType<typeof questionSettings>>({
    questions: {
      form: (question, signal) =>
        canAsk(shell) ? screen.lendTerminal(() => form(question, signal)) : declineForm(question, screen),
      open: (url, signal) => screen.lendTerminal(() => open(url, signal)),
      visiting: (visit, signal) => screen.lendTerminal(() => visiting(visit, signal)),
    },
    inputs: inputs && ((one, by) => screen.lendTerminal(async () => inputs(one, by))),
    secrets: secrets && ((name, by) => screen.lendTerminal(async () => secrets(name, by))),
  });
}

async function declineForm({ server, message }: FormQuestion, screen: Screen): Promise<ElicitResult> {
  const label = screen.print.style('yellow', printable(server), 'stderr');
  screen.note(`${label}: "${printable(message)}" was declined: not running in a terminal`);
  return { action: 'decline' };
}

interface ChatSessionOptions extends Pick<ChatOptions, 'verbose' | 'hint'> {
  /** The error to report if no server could be opened. */
  explain(error: unknown): unknown;
}

/** Opens the servers, shows the catalogue, and runs the console. */
async function runSession(
  chat: Chat,
  terminal: ChatTerminal | undefined,
  options: ChatSessionOptions,
): Promise<ExitCode> {
  const { host, session, screen, shell } = chat;
  const opening = await openServers(chat, terminal).catch((error: unknown) => {
    throw options.explain(error);
  });
  if (shell.signal.aborted || opening === 'left') return exitCodes.interrupted;
  for (const server of host.servers.values()) {
    server.onLog((line) => {
      // Log messages of a server are for the user; its output and the host's messages are for debugging.
      if (options.verbose === true || !/^(?:host|stderr|stdout): /.test(line))
        screen.note(logText(server.label, line, chat));
    });
  }
  const offered = await untilAborted(listCatalogue(session), shell.signal);
  await showCatalogue(offered, chat, { whole: true });
  // Subscribes late: the catalogue lists the servers that failed so far.
  for (const server of host.servers.values())
    server.onState((state) => {
      if (state === 'failed') screen.note(`${server.label} failed; /log ${server.label} shows why`);
    });
  for (const line of options.hint ?? []) screen.note(line);
  return runConsole(chat, terminal);
}

const logText = (label: string, line: string, { screen: { print } }: Chat): string =>
  print.style('dim', `${label} │ ${printable(line)}`, 'stderr');

/** Opens all servers in parallel. Throws the first failure if none could be opened. */
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
      await server.connect(signal);
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
