/** The options of `createGateway`, and their validation. */
import { badDefinition } from '../errors.ts';
import type { Sandbox } from '../host/servers/sandbox.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { ClientAuth } from '../model/auth.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { Clock } from '../peer/clock.ts';
import type { Servable, Transport } from '../peer/exchange.ts';
import type { StateLog } from '../revisions/asks/seal.ts';
import type { Backend } from '../stores/backend.ts';
import type { Command } from '../transport/child.ts';
import type { GatewayMetrics, UpstreamCredentials, UpstreamQuestions } from './contract.ts';
import type { GatewayRates } from './policy/caller-rates.ts';
import type { GatewayAuditSettings } from './policy/gateway-audit.ts';
import type { LockSpec } from './policy/gateway-lock.ts';
import type { GatewayRule } from './policy/gateway-rules.ts';

/** Options of `createGateway`. */
export interface GatewaySpec {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** Instructions for callers about the gateway as a whole. */
  readonly instructions?: string;
  /** The servers behind it, by label: `[a-z][a-z0-9-]*`, up to 24 characters. */
  readonly upstreams: Readonly<Record<string, UpstreamSpec>>;
  /** The endpoints by name. Without any, the view `default` has all upstreams. */
  readonly views?: Readonly<Record<string, ViewSpec>>;
  readonly names?: NameSpec;
  /** Runs the commands of upstreams in a sandbox, such as `bubblewrap()` of `mooring/host`. */
  readonly sandbox?: Sandbox;
  /** The revisions that callers can use. Default: all. */
  readonly revisions?: readonly string[];
  /**
   * Keys of 32 bytes that encrypt the state that callers carry between rounds. The first seals, all open. Default: a random key per
   * process.
   */
  readonly stateKeys?: readonly Uint8Array[];
  /** Records used approvals for all processes. Without it, each process records its own. */
  readonly stateLog?: StateLog;
  /** How other processes of this gateway reach this one, so that any of them can resume a waiting call. */
  readonly peer?: PeerSpec;
  /** The first matching rule decides; without a match, the request is denied. Without a policy, everything is allowed. */
  readonly policy?: readonly GatewayRule[];
  /** Rate limits per person. */
  readonly rates?: GatewayRates;
  /** Records every request before it is sent. */
  readonly audit?: GatewayAuditSettings;
  /** Pins the definitions of upstreams, and withholds changed ones. */
  readonly lock?: LockSpec;
  /** Counts calls, questions and decisions. */
  readonly metrics?: GatewayMetrics;
  readonly clock?: Clock;
  /** Receives warnings, for example about withheld parts. Default: `process.emitWarning` or the console. */
  readonly onWarning?: (warning: string) => void;
}

/** Messages between the processes of one gateway. All of them need the same `stateKeys`. */
export interface PeerSpec {
  /** A port for these messages only. Default host: 127.0.0.1. */
  readonly listen: { readonly host?: string | undefined; readonly port: number };
  /** The URL under which other processes reach that port. */
  readonly advertise?: string | undefined;
  /** Keys of 32 bytes, the same in all processes. The first seals, all open. */
  readonly keys: readonly Uint8Array[];
  /** The store that all processes share: to find each other, and to broadcast cancellations. */
  readonly store: Pick<Backend, 'keyed' | 'channel'>;
}

/** How an upstream is reached: a URL, a command, a server of this process, or a transport. */
export type UpstreamSpec = Servable | Transport | (UpstreamOptions & UpstreamTarget);

/** The address of an upstream. */
export type UpstreamTarget =
  | { readonly url: string | URL; readonly headers?: Readonly<Record<string, string>> }
  | Command
  | { readonly server: Servable }
  | { readonly transport: Transport };

/** Which callers share a conversation with an upstream. */
export type UpstreamIsolation = 'shared' | 'principal' | 'session' | 'call';

/** Options of one upstream. */
export interface UpstreamOptions {
  /**
   * `shared`: one conversation for all callers; the default if the upstream needs no handshake. `principal`: one per verified caller;
   * otherwise the default. `session`: one per session of a caller. `call`: one per call.
   */
  readonly isolate?: UpstreamIsolation;
  /** The revisions to negotiate. Default: all. */
  readonly revisions?: readonly string[];
  /** Credentials for this upstream, of the gateway or per caller. Never the token that the caller sent. */
  readonly auth?: ClientAuth | UpstreamCredentials;
  readonly timeouts?: UpstreamTimeouts;
  readonly limits?: UpstreamLimits;
  readonly circuit?: CircuitSpec | false;
  /** How long an idle conversation stays open, in milliseconds. Default: 5 minutes. */
  readonly idleMs?: number;
  /** What the upstream can ask callers. */
  readonly questions?: UpstreamQuestions;
  readonly trust?: UpstreamTrust;
}

/** Timeouts in milliseconds. */
export interface UpstreamTimeouts {
  /** To open a connection. Default: 10 seconds. */
  readonly connectMs?: number;
  /** For one call; each progress report restarts it. Default: 60 seconds. */
  readonly callMs?: number;
  /** For one call in total, regardless of progress. Default: 30 minutes. */
  readonly maxCallMs?: number;
  /** How long a merged list waits for this upstream. Default: 3 seconds. */
  readonly listMs?: number;
  /** For the answer to a question. Default: 5 minutes. */
  readonly questionMs?: number;
}

/** Resource limits of one upstream. */
export interface UpstreamLimits {
  /** Open conversations. Default: 1,000. */
  readonly clients?: number;
  /** Open conversations per principal. Default: 4. */
  readonly clientsPerPrincipal?: number;
  /** Concurrent calls. Default: 256. */
  readonly calls?: number;
  /** Queued calls. Default: 512. */
  readonly queue?: number;
  /** How long a call can be queued, in milliseconds. Default: 2 seconds. */
  readonly queueMs?: number;
  /** Calls that wait for an answer while their caller has no open request. Default: 100. */
  readonly waitingCalls?: number;
}

/** The circuit breaker: after `failures` within `windowMs`, calls fail immediately for `openMs`. */
export interface CircuitSpec {
  /** Default: 5. */
  readonly failures?: number;
  /** Default: 10 seconds. */
  readonly windowMs?: number;
  /** Default: 15 seconds. */
  readonly openMs?: number;
}

/** Which statements of an upstream the gateway trusts. */
export interface UpstreamTrust {
  /** Forwards its instructions to callers. */
  readonly instructions?: boolean;
  /** Uses its annotations in rules. */
  readonly annotations?: boolean;
  /** Whether its lists are the same for all callers, if its revision cannot express that. */
  readonly cache?: 'public' | 'private';
}

/** The view at the root path. */
export const DEFAULT_VIEW = 'default';

/** The upstreams of a view, and the parts of them that it shows. */
export interface ViewSpec {
  readonly of: readonly ViewMember[];
  readonly instructions?: string;
  /** In a view with several upstreams, those whose pages (MCP Apps) are passed on. Default: none. */
  readonly apps?: readonly string[];
}
/** The label of an upstream, or labels with the parts that the view shows. */
export type ViewMember = string | Readonly<Record<string, ViewSelection>>;

/** The upstream's own names or URIs; `*` matches any characters. An omitted kind is not shown. */
export interface ViewSelection {
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  readonly resources?: readonly string[];
}

/** How upstream names are exposed to callers. */
export interface NameSpec {
  /**
   * `prefix` (default): `label__name`. `bare`: the upstream's own names. A name is withheld if two upstreams claim it, or if one could
   * whose list is not known yet.
   */
  readonly style?: 'prefix' | 'bare';
  /** `wrap` (default): `label+uri`. `as-is`: the upstream's own URIs. A URI that two upstreams list is withheld. */
  readonly uris?: 'wrap' | 'as-is';
  /** By label: upstream names and their exposed names. */
  readonly rename?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By name: the label that wins if several upstreams claim it. */
  readonly prefer?: Readonly<Record<string, string>>;
}

const gatewayOptionNames: OptionNames<GatewaySpec> = {
  ...{ name: true, version: true, title: true, instructions: true, upstreams: true, views: true, names: true },
  ...{ sandbox: true, revisions: true, stateKeys: true, stateLog: true, peer: true, policy: true, rates: true },
  ...{ audit: true, lock: true, metrics: true, clock: true, onWarning: true },
};

const labelForm = /^[a-z][a-z0-9-]{0,23}$/;

/** Throws for an invalid spec. */
export function checkGatewaySpec(spec: GatewaySpec): void {
  const what = 'createGateway({ name, version, upstreams })';
  checkOptions(what, spec, gatewayOptionNames);
  const { name, version, upstreams, views = {}, names = {} } = spec;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw badDefinition(what, '"name" and "version" must be text');
  if (!isObject(upstreams))
    throw badDefinition(what, `"upstreams" must be an object of servers by label, not ${valueKind(upstreams)}`);
  const labels = Object.keys(upstreams);
  const bad = labels.find((label) => !labelForm.test(label));
  if (bad !== undefined)
    throw badDefinition(
      `The upstream "${bad}"`,
      'a label is a letter, then letters, digits and "-": up to 24, lower case',
    );
  for (const [view, one] of Object.entries(views))
    if (!isObject(one) || !Array.isArray(one['of']))
      throw badDefinition(`The view "${view}"`, 'it must be { of: [ … ] }, with labels of upstreams');
  for (const [view, { of, apps = [] }] of Object.entries(views))
    for (const label of [...of.flatMap(labelsIn), ...apps]) checkLabel(label, labels, `The view "${view}"`);
  for (const label of [...Object.keys(names.rename ?? {}), ...Object.values(names.prefer ?? {})])
    checkLabel(label, labels, 'The option "names"');
}

export const labelsIn = (member: ViewMember): readonly string[] =>
  typeof member === 'string' ? [member] : Object.keys(member);

function checkLabel(label: string, labels: readonly string[], what: string): void {
  if (!labels.includes(label))
    throw badDefinition(what, `unknown upstream "${label}"; known are ${labels.join(', ') || 'none'}`);
}
