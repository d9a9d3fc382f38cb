/** Validates the settings of a server and applies their defaults, once, when the server is created. */
import { badDefinition } from '../errors.ts';
import { defined, isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Implementation } from '../model/caller.ts';
import type { Icon } from '../model/content.ts';
import { extensionFault } from '../model/meta.ts';
import type { CacheHints } from '../model/parts.ts';
import { callHook } from '../peer/call-hook.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { Warnings } from '../peer/warnings.ts';
import type { Sealer, StateLog } from '../revisions/asks/seal.ts';
import type { Revision } from '../revisions/contract.ts';
import { findRevision, revisions } from '../revisions/index.ts';
import type { ChangeBus } from './change-bus.ts';
import {
  cacheFault,
  iconFault,
  type MemberNames,
  notObject,
  numberFault,
  strayFault,
  texts,
  typeFault,
  wholeFault,
} from './definition.ts';
import type { EnvCaller, Part, SkillSet } from './part.ts';
import type { ServerTaskOptions } from './tasks/task-options.ts';

/** The identity and the settings of a server. */
export interface ServerSpec {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
  /** Tells models how to use this server. Do not repeat the descriptions of its tools. */
  readonly instructions?: string;
  /** Folders of Agent Skills: `await skills('./skills')` of `mooring/skills`. */
  readonly skills?: SkillSet;
  /** Lets tools with `task` run as tasks: `true` stores them in memory, a store of yours can keep them through a restart. */
  readonly tasks?: true | ServerTaskOptions;
  /** The protocol extensions that the server declares, by name, with their settings. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** The protocol revisions that the server supports; all by default. */
  readonly revisions?: readonly string[];
  /** Rejects a handshake for a revision that this server does not support, instead of offering another one. */
  readonly strictVersions?: boolean;
  /** Items per page of a list; 1,000 by default. */
  readonly pageSize?: number;
  /**
   * How long lists, discovery and resources without a `cache` of their own can be cached, and whether callers can share them; not cached by
   * default. Callers never share a list that differs by caller, or a resource with `scopes`.
   */
  readonly cache?: CacheHints;
  /**
   * Lists only the parts that the caller's scopes allow. By default, all parts are listed, so that a client can request the scopes that
   * a part needs.
   */
  readonly hideUnauthorized?: boolean;
  /** AES-256 keys that seal the state of suspended calls, newest first. Needed if several processes serve one URL. */
  readonly stateKeys?: readonly Uint8Array<ArrayBuffer>[];
  /**
   * Accepts the state of a suspended call only once (replay protection): `true` records used states in this process, a log of yours in all
   * processes. By default, a state can be sent again until it expires.
   */
  readonly singleUse?: true | StateLog;
  /** Publishes changes to other processes, whose clients are notified too. By default each process notifies its own clients. */
  readonly changes?: ChangeBus;
  /** How many rounds of questions one call can have; 10 by default. */
  readonly maxRounds?: number;
  /** Subscription streams that can be open at once; 1,024 by default. */
  readonly maxListeners?: number;
  /** Called for every exception of which callers see only a short id. By default, it is written to stderr. */
  readonly onError?: (error: unknown, about: ErrorReport) => void;
  /** Called with warnings. By default, only deprecations are reported, as process warnings. */
  readonly onWarning?: (warning: string) => void;
  readonly clock?: Clock;
}

/** The settings and the parts of a server. */
export interface ServerWithParts<P extends readonly Part[]> extends ServerSpec {
  readonly parts: P;
}

const members: MemberNames<ServerWithParts<readonly Part[]> & { readonly env?: unknown }> = {
  name: 1,
  version: 1,
  parts: 'tools prompts resources',
  instructions: 1,
  title: 1,
  description: 1,
  websiteUrl: 1,
  icons: 1,
  env: 1,
  skills: 1,
  tasks: 1,
  extensions: 1,
  revisions: 1,
  strictVersions: 1,
  pageSize: 1,
  cache: 1,
  hideUnauthorized: 1,
  stateKeys: 1,
  singleUse: 1,
  changes: 1,
  maxRounds: 1,
  maxListeners: 1,
  onError: 1,
  onWarning: 1,
  clock: 1,
};

const taskMembers: MemberNames<ServerTaskOptions> = {
  store: 1,
  code: 1,
  maxRunning: 1,
  maxTasksPerCaller: 1,
  maxTasks: 1,
  maxBytes: 1,
  maxTtlMs: 1,
  outliveAuth: 1,
  leaseMs: 1,
};

/** Details of a reported exception, of which the caller sees only the id. */
export interface ErrorReport {
  /** The id in the error that the caller gets. */
  readonly id: string;
  /** Which part failed, such as `tool "refund"`. */
  readonly what: string;
}

export interface ServerSettings {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly strictVersions: boolean;
  readonly pageSize: number;
  readonly hints: Required<CacheHints>;
  readonly hideUnauthorized: boolean;
  readonly sealer: Sealer;
  readonly maxRounds: number;
  readonly maxListeners: number;
  readonly clock: Clock;
  readonly env: unknown;
  report(error: unknown, what: string): string;
  readonly warnings: Warnings;
}

export function readSettings(spec: ServerWithParts<readonly Part[]> & { readonly env?: unknown }): ServerSettings {
  if (!isObject(spec)) throw badDefinition('createServer({ name, version, parts })', notObject);
  const { name, version, title, description, websiteUrl, icons }: ServerSpec = spec;
  // Unknown members first: `tools: []` is the better error than the missing "parts".
  const fault = strayFault(spec, members) ?? typeFault(spec, 'string', ['name', 'version'], true) ?? settingFault(spec);
  if (fault !== undefined) throw badDefinition(`server "${name}"`, fault);
  return {
    // Frozen, because callers in the same process get this object.
    info: Object.freeze(defined<Implementation>({ name, version, title, description, websiteUrl, icons })),
    instructions: spec.instructions,
    // Newest first, whatever their order in the spec.
    revisions: revisions.filter(({ id }) => spec.revisions?.includes(id) ?? true),
    strictVersions: spec.strictVersions ?? false,
    pageSize: spec.pageSize ?? 1_000,
    hints: { ttlMs: spec.cache?.ttlMs ?? 0, cacheScope: spec.cache?.cacheScope ?? 'private' },
    hideUnauthorized: spec.hideUnauthorized ?? false,
    sealer: createStateSealer(spec),
    maxRounds: spec.maxRounds ?? 10,
    maxListeners: spec.maxListeners ?? 1_024,
    clock: spec.clock ?? systemClock,
    env: spec.env,
    report: createReporter(spec.onError),
    warnings: new Warnings(spec.onWarning),
  };
}

/** Loads the sealer when the first state is sealed or opened: many servers never ask anything. */
function createStateSealer({ stateKeys, singleUse, clock = systemClock }: ServerSpec): Sealer {
  let loading: Promise<Sealer> | undefined;
  const load = (): Promise<Sealer> => {
    loading ??= import('../revisions/asks/seal.ts').then(({ stateSealer }) => stateSealer(stateKeys, singleUse, clock));
    return loading;
  };
  return {
    seal: async (text, bound) => (await load()).seal(text, bound),
    open: async (sealed, bound) => (await load()).open(sealed, bound),
  };
}

/** Why a setting is invalid. Also finds missing settings, for callers without TypeScript. */
function settingFault(spec: ServerWithParts<readonly Part[]>): string | undefined {
  if (!Array.isArray(spec.parts)) return `"parts" ${spec.parts ? 'must be a list' : 'is missing'}`;
  const { cache, extensions = {}, tasks = {}, icons, maxListeners = 0, maxRounds = 0, pageSize = 1, stateKeys } = spec;
  const options: ServerTaskOptions = tasks === true ? {} : tasks;
  if (options.store && !options.store.create) return '"store" must be a task store';
  if (spec.revisions && !(Array.isArray(spec.revisions) && spec.revisions[0] && spec.revisions.every(findRevision)))
    return `"revisions" must list some of ${revisions.map(({ id }) => id).join(', ')}, not "${spec.revisions}"`;
  if (stateKeys && !(Array.isArray(stateKeys) && stateKeys[0] && stateKeys.every((key) => key.length === 32)))
    return '"stateKeys" must be keys of 32 bytes each';
  return (
    typeFault(spec, 'string', texts) ??
    cacheFault(cache) ??
    iconFault(icons) ??
    extensionsFault(extensions) ??
    strayFault(options, taskMembers) ??
    numberFault('tasks.', options) ??
    numberFault('', { maxRounds, maxListeners }) ??
    wholeFault('pageSize', pageSize, 1)
  );
}

function extensionsFault(extensions: Readonly<Record<string, JsonObject>>): string | undefined {
  const bad = Object.keys(extensions).find(extensionFault);
  return bad && `the extension "${bad}": ${extensionFault(bad)}`;
}

/** Reports exceptions to the author, each with an id, which is all that the caller sees and can quote. */
function createReporter(onError: ServerSpec['onError']): ServerSettings['report'] {
  return (error, what) => {
    const id = crypto.randomUUID().slice(0, 8);
    if (onError === undefined) console.error(`mooring: ${what} failed (${id})`, error);
    // A failing onError must not fail the request.
    else
      callHook(
        () => onError(error, { id, what }),
        (thrown) => console.error(`mooring: onError failed on ${what} (${id})`, thrown),
      );
    return id;
  };
}

/** The environment of a call: a fixed value, or created for each call. */
export const envFor = (env: unknown, caller: EnvCaller): unknown => (typeof env === 'function' ? env(caller) : env);
