/** Opens a host with a single server, for one command. Policy and consent apply. */
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
import { commandUser, findLockOf, type HostContext, hostSettings, labelTargets } from './host-settings.ts';
import { allowTyped } from './typed-acts.ts';

export interface OpenHostOptions extends Pick<CommandConsentOptions, 'onInterrupt'> {
  /** Without it, the client declares no elicitation. */
  readonly questions?: QuestionHandler;
  /** Enables tasks, and stores their tickets. */
  readonly tickets?: TicketStore | undefined;
  /** Negotiates only revisions with skills, so that a slow start does not fall back to an older one. */
  readonly needsSkills?: boolean;
  /** Default: prints warnings with --verbose. */
  readonly onWarning?: (warning: string) => void;
}

export interface OpenedHost extends AsyncDisposable {
  readonly host: Host;
  readonly label: string;
  readonly session: Session;
  /** For lists and server information, which are not acts. */
  readonly client: ConnectedServer;
}

/** Close it with `await using`. A configured server is started only with an approval of the user. */
export async function openHost(
  target: CommandTarget,
  context: HostContext,
  options: OpenHostOptions = {},
): Promise<OpenedHost> {
  const { shell, print, values } = context;
  const lock = await findLockOf(target, context);
  const targets = labelTargets([target], lock);
  const settings = hostSettings(targets, context, lock);
  const allowed = allowTyped({ kind: typedKinds }, lock !== undefined);
  const gate = await gateSettings(context, { targets, allowed });
  const consent = new CommandConsent(context, { targets, onInterrupt: options.onInterrupt });
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

/** Timeout for a module to start and respond, without --timeout. */
const START_MS = 30_000;

/** Without an older revision as fallback, the probe can use the whole start timeout. */
function skillSettings({ revisions: wanted, timeouts }: Partial<HostOptions>): Partial<HostOptions> {
  const startMs = timeouts?.connectTimeoutMs ?? START_MS;
  return {
    revisions: wanted ?? revisions.filter((one) => !one.hasSessions).map(({ id }) => id),
    timeouts: { ...timeouts, probeTimeoutMs: startMs, connectTimeoutMs: startMs },
  };
}

const noServer = (): never => {
  throw new Error('a host of one server has one');
};

const typedKinds = ['tool', 'resource', 'prompt', 'completion', 'elicitation', 'extension', 'skill'] as const;

export interface HostRun extends Omit<OpenedHost, typeof Symbol.asyncDispose> {
  readonly request: RequestOptions & { readonly signal: AbortSignal };
  /** Removes the progress bar; call it before printing. */
  endProgress(): void;
}

/** Opens a host and runs one act, with a progress bar (labeled `what`), answers to questions, and Ctrl-C. */
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
  const typedUrl = 'url' in target.source && target.source.from === undefined ? target.label : undefined;
  const answerer = new QuestionAnswerer(context, context.values.answer, typedUrl);
  await using opened = await openHost(target, context, { ...answerer.host, tickets: context.tickets });
  const { host, label, session, client } = opened;
  return await answerer
    .during((signal) => {
      bar.begin();
      const request: HostRun['request'] = { signal, onProgress: (report) => bar.update(report) };
      return run({ host, label, session, client, request, endProgress });
    })
    .finally(endProgress);
}

/** Also finds tools that the policy hides, so that the call is denied with its reason instead of "no such tool". */
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
  throw badArgument(name, `unknown ${kind.slice(0, -1)}; ${suggest(name, names)}`);
}
