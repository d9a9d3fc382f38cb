/**
 * A connection without a host, for commands that look at the connection itself: what goes over it (trace, record), what breaks in it
 * (doctor, watch), what another server answers on it (replay), what a lock file is to hold. It passes the same gate as a host's.
 */
import { type Client, type ConnectOptions, openClient } from '../../client/index.ts';
import type { ConnectionPlan } from '../../connect/target.ts';
import { GateKeeper } from '../../host/gate/gate-keeper.ts';
import { processKey } from '../../host/servers/fingerprint.ts';
import { resolveCommand } from '../../host/servers/plan-command.ts';
import { checkSource, planServer } from '../../host/servers/plan-server.ts';
import { resolveUrl } from '../../host/servers/plan-url.ts';
import { ServerLog } from '../../host/servers/server-log.ts';
import { cacheLookups, type Lookups, TextResolver } from '../../host/servers/text-resolver.ts';
import type { ClientAuth } from '../../model/auth.ts';
import { Masks } from '../../model/secrets.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import type { Transport } from '../../peer/exchange.ts';
import { CommandConsent } from '../host/command-consent.ts';
import { gateSettings } from '../host/gate-settings.ts';
import { commandLookups, connectionSettings, labelTargets, timeoutsIn } from '../host/host-settings.ts';
import { logPrinter, moduleFault } from '../module/module-output.ts';
import type { TargetContext } from './options.ts';
import { commandAuth } from './sign-in.ts';
import type { CommandTarget } from './target.ts';

export interface ConnectTargetOptions {
  /** Put around the connection: to listen in, to write down. */
  readonly wrapTransport?: (transport: Transport) => Transport;
  /** Gets what a command writes outside the protocol: to `stderr`, and to `stdout`. */
  readonly onOutput?: (from: string, text: string) => void;
  /** Where what is only named comes from; without it, the environment and the terminal. */
  readonly lookups?: Lookups;
  /** How the user signs in; without it, as every command does. */
  readonly auth?: ClientAuth;
}

/** A target that the rules and the user allow; nothing has been started yet. */
export interface ApprovedTarget {
  readonly plan: ConnectionPlan;
  /** The command or the URL, as it was shown. */
  readonly address: string;
  readonly connect: ConnectOptions;
  /** The secrets that it was given. */
  readonly masks: Masks;
}

/** Close it with `await using`. */
export async function connectTarget(
  target: CommandTarget,
  context: TargetContext,
  options: ConnectTargetOptions = {},
): Promise<Client> {
  const approved = await approveTarget(target, context, options);
  return openApproved(approved, options.wrapTransport).catch((error: unknown) => {
    throw moduleFault(error, target);
  });
}

/** Asks for everything that has to be asked for, and starts nothing. */
export async function approveTarget(
  target: CommandTarget,
  context: TargetContext,
  options: ConnectTargetOptions = {},
): Promise<ApprovedTarget> {
  const { shell } = context;
  const masks = new Masks();
  const log = new ServerLog(masks);
  log.onLine(logPrinter(target, context));
  const connect = connectOptions(context, log);
  const targets = labelTargets([target]);
  const [label = target.name] = targets.keys();
  const settings = await gateSettings(context, { targets });
  const consent = new CommandConsent(context, { targets });
  const plan = await planServer(checkSource(label, target.source), {
    label,
    lookups: options.lookups ?? lookupsOf(context),
    masks,
    log: {
      stderr(chunk) {
        log.stderr(chunk);
        options.onOutput?.('stderr', masks.mask(chunk));
      },
      write(from, text) {
        log.write(from, text);
        options.onOutput?.(from, masks.mask(text));
      },
    },
    auth: options.auth ?? commandAuth(context),
    sandbox: undefined,
    connect,
    fingerprintKey: settings.approvals?.key ?? processKey(),
  });
  const gate = new GateKeeper({ ...settings, consent, clock: shell.clock });
  const { act, warnings, current } = plan;
  try {
    const passing = { signal: shell.signal, warnings, current, outcome: () => 'open' };
    return { plan: await gate.pass(act, () => plan.resolve(), passing), address: act.name, connect, masks };
  } catch (error) {
    throw consent.explain(error);
  } finally {
    await gate.close();
  }
}

/** What is needed twice is asked for once. */
export const lookupsOf = (context: TargetContext): Lookups => cacheLookups(commandLookups(context));

export { type Lookups, resolveCommand, resolveUrl };

/** Texts of a definition, for checks that look at them one by one. */
export const resolverFor = ({ name, source }: CommandTarget, lookups: Lookups, masks: Masks): TextResolver =>
  new TextResolver({ label: name, from: source.from, lookups, masks });

export function openApproved(
  { plan, connect }: ApprovedTarget,
  wrapTransport: (transport: Transport) => Transport = (same) => same,
): Promise<Client> {
  const { transport, extensions, ...context } = plan;
  return openClient(
    wrapTransport(transport),
    { ...connect, ...(extensions === undefined ? {} : { extensions }) },
    context,
  );
}

const connectOptions = (context: TargetContext, log: ServerLog): ConnectOptions => ({
  ...connectionSettings(context),
  ...timeoutsIn(context.values),
  signal: context.shell.signal,
  onLog: ({ level, data }) => log.write(level, textOfValue(data)),
  onWarning: (warning) => log.write('warning', warning),
});
