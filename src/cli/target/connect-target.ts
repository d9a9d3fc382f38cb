/**
 * Connects a client without a host, for commands that inspect the connection itself: trace, record, doctor, watch, replay, lint and
 * lock. Policy and consent apply as in a host.
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
  /** Wraps the transport, for example to record messages. */
  readonly wrapTransport?: (transport: Transport) => Transport;
  /** Gets output of the command that is not part of the protocol. `from` is `stderr` or `stdout`. */
  readonly onOutput?: (from: string, text: string) => void;
  /** Resolves variables, inputs and secrets. Default: environment and terminal. */
  readonly lookups?: Lookups;
  /** Default: `commandAuth`. */
  readonly auth?: ClientAuth;
}

/** A target that the policy and the user allowed, before it is started. */
export interface ApprovedTarget {
  readonly plan: ConnectionPlan;
  /** The command or URL that the user approved. */
  readonly address: string;
  readonly connect: ConnectOptions;
  /** Masks the secrets that were passed to the server. */
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

/** Asks for consent, inputs and secrets, without starting the server. */
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
    const approved = await context.print.lendTerminal(() => gate.pass(act, () => plan.resolve(), passing));
    return { plan: approved, address: act.name, connect, masks };
  } catch (error) {
    throw consent.explain(error);
  } finally {
    await gate.close();
  }
}

/** Caches inputs and secrets, so that the user is asked once. */
export const lookupsOf = (context: TargetContext): Lookups => cacheLookups(commandLookups(context));

export { type Lookups, resolveCommand, resolveUrl };

/** Resolves texts of a definition individually. */
export const resolverFor = ({ name, source }: CommandTarget, lookups: Lookups, masks: Masks): TextResolver =>
  new TextResolver({ label: name, from: source.from, lookups, masks });

export function openApproved(
  { plan, connect }: ApprovedTarget,
  wrapTransport: (transport: Transport) => Transport = (unwrapped) => unwrapped,
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
