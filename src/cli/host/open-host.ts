/** A host with one server, for one command: opened through the gate, and closed when the command is done. */
import {
  type ConnectedServer,
  createHost,
  type Host,
  type HostOptions,
  type QuestionHandler,
  type RequestOptions,
  type Session,
  type TicketStore,
} from '../../host/index.ts';
import type { Prompt, Tool } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import type { ListItems } from '../../revisions/decode-lists.ts';
import { revisions } from '../../revisions/index.ts';
import { badArgument } from '../arguments.ts';
import type { ExitCode } from '../exit-codes.ts';
import { logPrinter, moduleFault } from '../module/module-output.ts';
import { listOrThrow } from '../offer.ts';
import { QuestionAnswerer } from '../questions/question-answerer.ts';
import type { CommandTarget } from '../target/target.ts';
import { CommandConsent, type CommandConsentOptions } from './command-consent.ts';
import { gateSettings } from './gate-settings.ts';
import { commandUser, type HostContext, hostSettings, labelTargets } from './host-settings.ts';
import { allowTyped } from './typed-acts.ts';

export interface OpenHostOptions extends Pick<CommandConsentOptions, 'onInterrupt' | 'lendTerminal'> {
  /** Answers what the server asks. Without it, the server is told that it cannot ask. */
  readonly questions?: QuestionHandler;
  /** Lets the server make tasks of calls, and keeps their tickets. */
  readonly tickets?: TicketStore | undefined;
  /** Only revisions that can carry skills: a server that starts slowly is not met in an older one. */
  readonly needsSkills?: boolean;
  /** Gets what is odd; by default, `--verbose` shows it. */
  readonly onWarning?: (warning: string) => void;
}

export interface OpenedHost extends AsyncDisposable {
  readonly host: Host;
  readonly label: string;
  readonly session: Session;
  /** For what is no act: lists, and what the server says about itself. */
  readonly client: ConnectedServer;
}

/** Close it with `await using`. A server from a file is started only if the user agrees, now or before. */
export async function openHost(
  target: CommandTarget,
  context: HostContext,
  options: OpenHostOptions = {},
): Promise<OpenedHost> {
  const { shell, print, values } = context;
  const targets = labelTargets([target]);
  const settings = hostSettings(targets, context);
  const hasLock = settings.lockfile !== undefined;
  const gate = await gateSettings(context, { targets, allowed: allowTyped({ kind: typedKinds }, hasLock) });
  const consent = new CommandConsent(context, { targets, ...options });
  const showWarning = (warning: string): void => {
    if (values.verbose === true) print.note(print.style('dim', `warning: ${printable(warning)}`, 'stderr'));
  };
  const { questions, tickets, onWarning = showWarning, needsSkills = false } = options;
  const asking = {
    ...(questions === undefined ? {} : { questions }),
    ...(tickets === undefined ? {} : { tasks: true, tickets }),
  };
  const carrying = needsSkills ? skillSettings(settings) : {};
  const host: Host = createHost({
    ...settings,
    ...carrying,
    ...gate,
    ...asking,
    consent,
    onWarning,
    health: false,
    skills: true,
  });
  const [[label, server] = noServer()] = host.servers;
  server.onLog(logPrinter(target, context));
  const session = host.session({ principal: commandUser(shell) });
  try {
    const client = await server.connect(shell.signal);
    return { host, label, session, client, [Symbol.asyncDispose]: () => host.close() };
  } catch (error) {
    await host.close();
    throw moduleFault(consent.explain(error), target);
  }
}

/** How long a module may take to start before it answers. */
const START_MS = 30_000;

/** Without an older revision to fall back to, there is no reason to stop waiting early. */
const skillSettings = ({ revisions: wanted, timeouts }: Partial<HostOptions>): Partial<HostOptions> => ({
  revisions: wanted ?? revisions.filter((one) => !one.hasSessions).map(({ id }) => id),
  timeouts: { ...timeouts, probeTimeoutMs: START_MS, connectTimeoutMs: START_MS },
});

const noServer = (): never => {
  throw new Error('a host of one server has one');
};

const typedKinds = ['tool', 'resource', 'prompt', 'completion', 'elicitation', 'extension', 'skill'] as const;

export interface HostRun extends OpenedHost {
  readonly request: RequestOptions & { readonly signal: AbortSignal };
  /** Takes the progress bar away before something is printed. */
  endProgress(): void;
}

/** Opens a host, and runs one act on it with a progress bar, answers to questions, and Ctrl-C. `what` stands in front of the bar. */
export async function runOnHost(
  target: CommandTarget,
  context: HostContext & { readonly values: { readonly answer?: readonly string[] } } & Pick<
      OpenHostOptions,
      'tickets'
    >,
  what: string,
  run: (opened: HostRun) => Promise<ExitCode | undefined>,
): Promise<ExitCode | undefined> {
  const bar = context.print.progress(what);
  const endProgress = (): void => bar.end();
  const answerer = new QuestionAnswerer(context, {
    answers: context.values.answer,
    server: 'url' in target.source && target.source.from === undefined ? target.label : undefined,
    lendTerminal: (ask) => bar.pauseDuring(ask),
  });
  await using opened = await openHost(target, context, { ...answerer.host, tickets: context.tickets });
  const { host, label, session, client } = opened;
  return await answerer
    .during((signal) => {
      bar.begin();
      const request: HostRun['request'] = { signal, onProgress: (report) => bar.update(report) };
      return run({ host, label, session, client, request, endProgress, [Symbol.asyncDispose]: async () => undefined });
    })
    .finally(endProgress);
}

/** One that the rules hide is found too, so that the call is denied with its reason. */
export async function findDefinition<K extends 'tools' | 'prompts'>(
  kind: K,
  name: string,
  { session, client, request }: HostRun,
): Promise<ListItems[K]> {
  const shown: readonly { readonly definition: Tool | Prompt }[] = await session.catalogue[kind]();
  const visible = shown.find(({ definition }) => definition.name === name);
  if (visible !== undefined) return visible.definition as ListItems[K]; // of this kind
  const listed = await listOrThrow(client, kind, request.signal);
  const found = listed.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = listed.map((one) => one.name);
  throw badArgument(name, `the server has no such ${kind.slice(0, -1)}; ${suggest(name, names)}`);
}
