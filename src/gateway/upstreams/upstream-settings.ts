/** Resolves the options of one upstream: target, defaults, credentials and sandbox. */
import type { Target } from '../../connect/target.ts';
import { badDefinition, type McpError } from '../../errors.ts';
import type { Sandbox } from '../../host/servers/sandbox.ts';
import { checkOptions, type OptionNames } from '../../model/check-options.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Servable } from '../../peer/exchange.ts';
import { findRevision } from '../../revisions/index.ts';
import type { Command } from '../../transport/child.ts';
import type { GatewayMetrics, UpstreamCredentials, UpstreamQuestions } from '../contract.ts';
import type {
  CircuitSpec,
  UpstreamIsolation,
  UpstreamLimits,
  UpstreamOptions,
  UpstreamSpec,
  UpstreamTimeouts,
  UpstreamTrust,
} from '../spec.ts';

export interface UpstreamSettings {
  readonly label: string;
  readonly target: Target;
  readonly kind: 'url' | 'command' | 'server' | 'transport';
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly isolate: UpstreamIsolation | undefined;
  readonly revisions: readonly string[] | undefined;
  readonly credentials: UpstreamCredentials & { readonly isPersonal: boolean };
  readonly questions: UpstreamQuestions;
  readonly timeouts: Required<UpstreamTimeouts>;
  readonly limits: Required<UpstreamLimits>;
  readonly circuit: Required<CircuitSpec> | undefined;
  readonly idleMs: number;
  readonly trust: UpstreamTrust;
  readonly clock: Clock;
  /** The gateway's client info. */
  readonly name: string;
  readonly version: string;
  readonly warn: (warning: string) => void;
  readonly metrics: GatewayMetrics | undefined;
  readonly sandbox: Sandbox | undefined;
  /** Called when the upstream reports the end of a visit. */
  readonly visitCompleted: (label: string, id: string) => void;
}

const timeouts: Required<UpstreamTimeouts> = {
  connectMs: 10_000,
  callMs: 60_000,
  maxCallMs: 1_800_000,
  listMs: 3_000,
  questionMs: 300_000,
};
const limits: Required<UpstreamLimits> = {
  clients: 1_000,
  clientsPerPrincipal: 4,
  calls: 256,
  queue: 512,
  queueMs: 2_000,
  waitingCalls: 100,
};
const circuit: Required<CircuitSpec> = { failures: 5, windowMs: 10_000, openMs: 15_000 };
const IDLE_MS = 300_000;

export type GatewayContext = Pick<
  UpstreamSettings,
  'clock' | 'name' | 'version' | 'warn' | 'metrics' | 'visitCompleted' | 'sandbox'
>;

export function upstreamSettings(label: string, spec: UpstreamSpec, context: GatewayContext): UpstreamSettings {
  const { options, ...plain } = targetOf(label, spec);
  const target = { ...plain, target: sandboxed(label, plain.target, context.sandbox) };
  checkUpstreamOptions(label, options);
  const unknown = options.revisions?.find((id) => findRevision(id) === undefined);
  if (unknown !== undefined) throw badDefinition(`The upstream "${label}"`, `unknown revision ${unknown}`);
  return {
    ...context,
    label,
    ...target,
    isolate: options.isolate,
    revisions: options.revisions,
    credentials: credentialsOf(options.auth),
    questions: options.questions ?? {},
    timeouts: { ...timeouts, ...options.timeouts },
    limits: { ...limits, ...options.limits },
    circuit: options.circuit === false ? undefined : { ...circuit, ...options.circuit },
    idleMs: options.idleMs ?? IDLE_MS,
    trust: options.trust ?? {},
  };
}

const upstreamOptionNames: OptionNames<UpstreamOptions & Record<TargetMember, unknown>> = {
  ...{ url: true, headers: true, server: true, transport: true, command: true, args: true, env: true, cwd: true },
  ...{ clock: true, maxLineBytes: true, maxUnreadBytes: true, maxInFlight: true, onStderr: true, onStray: true },
  ...{ isolate: true, revisions: true, auth: true, timeouts: true, limits: true, circuit: true, idleMs: true },
  ...{ questions: true, trust: true },
};
type TargetMember = keyof Command | 'url' | 'headers' | 'server' | 'transport';

function checkUpstreamOptions(label: string, options: UpstreamOptions): void {
  const what = `The upstream "${label}"`;
  checkOptions(what, options, upstreamOptionNames);
  checkOptions(what, options.timeouts ?? {}, timeouts);
  checkOptions(what, options.limits ?? {}, limits);
  if (options.circuit !== false) checkOptions(what, options.circuit ?? {}, circuit);
}

/**
 * The operator's credentials are the same for all callers and have the empty key of the gateway's own conversation. Callers'
 * credentials never have the empty key, because the first caller's may have opened that conversation.
 */
const credentialsOf = (auth: UpstreamOptions['auth']): UpstreamSettings['credentials'] =>
  typeof auth === 'object'
    ? { keyFor: (of) => `of ${auth.keyFor(of)}`, authFor: (of) => auth.authFor(of), isPersonal: true }
    : { keyFor: () => '', authFor: () => auth, isPersonal: false };

function sandboxed(label: string, target: Target, sandbox: Sandbox | undefined): Target {
  if (sandbox === undefined || typeof target !== 'object' || !('command' in target)) return target;
  const { command, args = [], cwd, env = {} } = target;
  const within = sandbox({ command, args, cwd, env }, label);
  return within === undefined
    ? target
    : { ...target, command: within.command, args: [...within.args, command, ...args] };
}

interface ResolvedTarget extends Pick<UpstreamSettings, 'target' | 'kind' | 'headers'> {
  readonly options: UpstreamOptions;
}

function targetOf(label: string, spec: UpstreamSpec): ResolvedTarget {
  if (typeof spec !== 'function' && (typeof spec !== 'object' || spec === null))
    throw badUpstream(label, `, not ${valueKind(spec)}`);
  if (typeof spec === 'function') return { target: spec, kind: 'transport', headers: undefined, options: {} };
  if (isServable(spec)) return { target: spec, kind: 'server', headers: undefined, options: {} };
  if ('url' in spec) return { target: spec.url, kind: 'url', headers: spec.headers, options: spec };
  if ('server' in spec) return { target: spec.server, kind: 'server', headers: undefined, options: spec };
  if ('transport' in spec) return { target: spec.transport, kind: 'transport', headers: undefined, options: spec };
  if ('command' in spec) return { target: spec, kind: 'command', headers: undefined, options: spec };
  throw badUpstream(label);
}

const badUpstream = (label: string, but = ''): McpError =>
  badDefinition(`The upstream "${label}"`, `it must be a server, a transport, { url } or { command, args }${but}`);

const isServable = (spec: object): spec is Servable => 'open' in spec && typeof spec.open === 'function';
