/** What a gateway is made of, as its author writes it. */
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

/** What `createGateway` takes. */
export interface GatewaySpec {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** What callers are told about the gateway as a whole. */
  readonly instructions?: string;
  /** The servers behind it, by label: `[a-z][a-z0-9-]*`, up to 24 characters. */
  readonly upstreams: Readonly<Record<string, UpstreamSpec>>;
  /** What is served under which name. Without any, the view `default` has all upstreams. */
  readonly views?: Readonly<Record<string, ViewSpec>>;
  readonly names?: NameSpec;
  /** Runs the commands of upstreams with fewer rights, such as `bubblewrap()` of `mooring/host`. */
  readonly sandbox?: Sandbox;
  /** The revisions that callers can speak. All. */
  readonly revisions?: readonly string[];
  /** Keys of 32 bytes that seal what callers carry between two rounds; the first one seals, all of them open. Made for this process. */
  readonly stateKeys?: readonly Uint8Array[];
  /** Remembers which approvals were used, for all processes. Without it, this process does. */
  readonly stateLog?: StateLog;
  /** How other processes of this gateway reach this one: a call that waits for an answer is continued from any of them. */
  readonly peer?: PeerSpec;
  /** The first rule that matches decides; what none matches is denied. Without a policy, everything is allowed. */
  readonly policy?: readonly GatewayRule[];
  /** How many requests each person can send. */
  readonly rates?: GatewayRates;
  /** Writes every request down before it is sent. */
  readonly audit?: GatewayAuditSettings;
  /** Pins what upstreams offer, and withholds what changed. */
  readonly lock?: LockSpec;
  /** Counts calls, questions and decisions. */
  readonly metrics?: GatewayMetrics;
  readonly clock?: Clock;
  /** Gets warnings, such as of parts that are withheld; by default they are the runtime's own. */
  readonly onWarning?: (warning: string) => void;
}

/** Messages between the processes of one gateway, which have the same `stateKeys`. */
export interface PeerSpec {
  /** A port for them alone. On this machine, unless you name a host. */
  readonly listen: { readonly host?: string | undefined; readonly port: number };
  /** The URL at which the others reach that port. */
  readonly advertise?: string | undefined;
  /** Keys of 32 bytes, the same in all processes: the first one seals, all of them open. */
  readonly keys: readonly Uint8Array[];
  /** The store that all of them use: where they find each other, and hear of calls that callers cancel. */
  readonly store: Pick<Backend, 'keyed' | 'channel'>;
}

/** How an upstream is reached: a URL, a command, a server of this process, or a transport. */
export type UpstreamSpec = Servable | Transport | (UpstreamOptions & UpstreamTarget);

/** Where an upstream is. */
export type UpstreamTarget =
  | { readonly url: string | URL; readonly headers?: Readonly<Record<string, string>> }
  | Command
  | { readonly server: Servable }
  | { readonly transport: Transport };

/** For whom one conversation with an upstream is. */
export type UpstreamIsolation = 'shared' | 'principal' | 'session' | 'call';

/** How the gateway treats an upstream. */
export interface UpstreamOptions {
  /**
   * `shared`: one conversation for all callers; the default where the upstream needs no handshake. `principal`: one for each verified
   * caller; the default elsewhere. `session`: one for each session of a caller. `call`: one for each call.
   */
  readonly isolate?: UpstreamIsolation;
  /** The revisions to negotiate. All. */
  readonly revisions?: readonly string[];
  /** Credentials of the gateway or of the caller's own for this upstream. Never the token that the caller sent. */
  readonly auth?: ClientAuth | UpstreamCredentials;
  readonly timeouts?: UpstreamTimeouts;
  readonly limits?: UpstreamLimits;
  readonly circuit?: CircuitSpec | false;
  /** How long an unused conversation stays open, in milliseconds. 5 minutes. */
  readonly idleMs?: number;
  /** What the upstream can ask callers. */
  readonly questions?: UpstreamQuestions;
  readonly trust?: UpstreamTrust;
}

/** In milliseconds. */
export interface UpstreamTimeouts {
  /** Until a connection is open. 10 seconds. */
  readonly connectMs?: number;
  /** For one call; each report of progress restarts it. 60 seconds. */
  readonly callMs?: number;
  /** For one call, however much progress it reports. 30 minutes. */
  readonly maxCallMs?: number;
  /** How long a list of the gateway waits for this upstream. 3 seconds. */
  readonly listMs?: number;
  /** For the answer to a question. 5 minutes. */
  readonly questionMs?: number;
}

/** How much of everything one upstream can have. */
export interface UpstreamLimits {
  /** Conversations. 1,000. */
  readonly clients?: number;
  /** Conversations for one principal. 4. */
  readonly clientsPerPrincipal?: number;
  /** Calls at a time. 256. */
  readonly calls?: number;
  /** Calls that wait. 512. */
  readonly queue?: number;
  /** How long a call waits, in milliseconds. 2 seconds. */
  readonly queueMs?: number;
  /** Calls that wait for an answer while no request of their callers is open. 100. */
  readonly waitingCalls?: number;
}

/** After so many failures within a time, calls fail at once for a while. */
export interface CircuitSpec {
  /** 5. */
  readonly failures?: number;
  /** 10 seconds. */
  readonly windowMs?: number;
  /** 15 seconds. */
  readonly openMs?: number;
}

/** What the gateway believes an upstream. */
export interface UpstreamTrust {
  /** Its instructions go on to callers. */
  readonly instructions?: boolean;
  /** Its annotations count for rules. */
  readonly annotations?: boolean;
  /** Whether its lists are the same for all callers, where its revision cannot say so. */
  readonly cache?: 'public' | 'private';
}

/** The view that is served where none is named. */
export const DEFAULT_VIEW = 'default';

/** Which upstreams a view has, and which parts of them. */
export interface ViewSpec {
  readonly of: readonly ViewMember[];
  readonly instructions?: string;
  /** The upstreams whose pages (MCP Apps) are passed on, in a view with several upstreams. None. */
  readonly apps?: readonly string[];
}
/** The label of an upstream, or labels with the parts that the view has of them. */
export type ViewMember = string | Readonly<Record<string, ViewSelection>>;

/** Names or URIs as the upstream spells them; `*` stands for any characters. A kind that is left out is left out of the view. */
export interface ViewSelection {
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  readonly resources?: readonly string[];
}

/** What callers see instead of the names of the upstreams. */
export interface NameSpec {
  /** `prefix`: `label__name`. `bare`: the upstream's own names; what two upstreams claim, or one could whose list is not known yet, is withheld. */
  readonly style?: 'prefix' | 'bare';
  /** `wrap`: `label+uri`. `as-is`: the upstream's own URIs; what two upstreams list is withheld. */
  readonly uris?: 'wrap' | 'as-is';
  /** By label: the upstream's names, and what callers see instead. */
  readonly rename?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By name: the label of the upstream that has it, where several claim it. */
  readonly prefer?: Readonly<Record<string, string>>;
}

const gatewayOptionNames: OptionNames<GatewaySpec> = {
  ...{ name: true, version: true, title: true, instructions: true, upstreams: true, views: true, names: true },
  ...{ sandbox: true, revisions: true, stateKeys: true, stateLog: true, peer: true, policy: true, rates: true },
  ...{ audit: true, lock: true, metrics: true, clock: true, onWarning: true },
};

const labelForm = /^[a-z][a-z0-9-]{0,23}$/;

/** Throws for what cannot be a gateway. */
export function checkGatewaySpec(spec: GatewaySpec): void {
  const what = 'createGateway({ name, version, upstreams })';
  checkOptions(what, spec, gatewayOptionNames);
  const { name, version, upstreams, views = {}, names = {} } = spec;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw badDefinition(what, '"name" and "version" must be text');
  if (!isObject(upstreams))
    throw badDefinition(what, `"upstreams" must be an object of servers by label, not ${valueKind(upstreams)}`);
  const labels = Object.keys(upstreams);
  for (const label of labels) {
    const fault = labelForm.test(label)
      ? undefined
      : 'a label is a letter, then letters, digits and "-": up to 24, lower case';
    if (fault !== undefined) throw badDefinition(`The upstream "${label}"`, fault);
  }
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
    throw badDefinition(what, `there is no upstream "${label}"; there are ${labels.join(', ') || 'none'}`);
}
