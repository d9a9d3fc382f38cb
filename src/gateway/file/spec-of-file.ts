/** Builds the `GatewaySpec` of a file. An unchanged upstream yields the identical object, so a reload keeps its conversations. */
import { clientCredentials, enterpriseManaged, tokenExchange } from '../../auth/index.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { ClientAuth } from '../../model/auth.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { VERSION } from '../../model/names.ts';
import type { Clock } from '../../peer/clock.ts';
import type { SharedStores } from '../../stores/shared-stores.ts';
import type { Command } from '../../transport/child.ts';
import type { GatewayMetrics, UpstreamCredentials } from '../contract.ts';
import type { CallerTokens } from '../credentials/caller-tokens.ts';
import type { GatewayAuditSettings } from '../policy/gateway-audit.ts';
import { readRule } from '../policy/read-rules.ts';
import type { GatewaySpec, PeerSpec, UpstreamOptions, UpstreamSpec, UpstreamTarget } from '../spec.ts';
import type { GatewayFile, UpstreamAuthEntry, UpstreamEntry } from './gateway-file.ts';
import { splitAddress } from './split-address.ts';

export interface SpecContext {
  readonly clock: Clock;
  readonly callers: CallerTokens;
  readonly metrics?: GatewayMetrics | undefined;
  /** The shared store of all nodes. */
  readonly stores?: SharedStores | undefined;
  /** The audit log stays open across reloads. */
  readonly audit?: GatewayAuditSettings | undefined;
  readonly onWarning: (warning: string) => void;
}

interface MadeUpstream {
  readonly written: string;
  readonly spec: UpstreamSpec;
}

export class SpecMaker {
  readonly #context: SpecContext;
  #made: ReadonlyMap<string, MadeUpstream> = new Map();

  constructor(context: SpecContext) {
    this.#context = context;
  }

  /** Builds the spec and passes it to `apply`. If that throws, the previous file stays in effect. */
  use<T>(config: GatewayFile, apply: (spec: GatewaySpec) => T): T {
    const upstreams = Object.entries(config.upstreams ?? {});
    const made = new Map(upstreams.map(([label, entry]) => [label, this.#upstream(label, entry)]));
    const applied = apply(this.#spec(config, made));
    this.#made = made;
    return applied;
  }

  #spec(config: GatewayFile, made: ReadonlyMap<string, MadeUpstream>): GatewaySpec {
    const { gateway = {}, views, names, keys, policy, rates, lock } = config;
    const { clock, onWarning, metrics, audit, stores } = this.#context;
    return defined<GatewaySpec>({
      name: 'gateway',
      version: VERSION,
      ...gateway,
      upstreams: Object.fromEntries([...made].map(([label, { spec }]) => [label, spec])),
      ...{ views, names, clock, metrics, audit, onWarning },
      stateKeys: keys?.state === undefined ? undefined : keysIn(keys.state),
      policy: policy?.map(readRule),
      rates: rates && { ...rates, ...(stores === undefined ? {} : { store: stores.rates }) },
      stateLog: stores?.singleUse,
      peer: peerOf(config, stores),
      lock: typeof lock === 'string' ? { file: lock } : lock,
    });
  }

  #upstream(label: string, entry: UpstreamEntry): MadeUpstream {
    const written = canonicalJson(entry);
    const known = this.#made.get(label);
    return known?.written === written ? known : { written, spec: specOf(entry, this.#context) };
  }
}

function specOf(
  { url, headers, command = '', args, env, cwd, auth, ...options }: UpstreamEntry,
  context: SpecContext,
): UpstreamSpec {
  if (url === undefined) return defined<UpstreamOptions & Command>({ ...options, command, args, env, cwd });
  return defined<UpstreamOptions & UpstreamTarget>({
    ...{ ...options, url, headers: { ...headers, ...auth?.static?.headers } },
    auth: auth && credentialsOf(auth, context),
  });
}

function credentialsOf(
  auth: UpstreamAuthEntry,
  { clock, callers }: SpecContext,
): ClientAuth | UpstreamCredentials | undefined {
  const { clientCredentials: own, exchange, enterpriseManaged: enterprise } = auth;
  if (own !== undefined) return clientCredentials({ ...own, clock });
  if (exchange !== undefined) {
    const { endpoint: tokenEndpoint, ...rest } = exchange;
    return callers.credentials((subjectToken) => tokenExchange({ ...rest, tokenEndpoint, subjectToken, clock }));
  }
  if (enterprise === undefined) return undefined;
  return callers.credentials((idToken) => enterpriseManaged({ ...enterprise, idToken, isAccessToken: true, clock }));
}

function peerOf({ peer, keys }: GatewayFile, stores: SharedStores | undefined): PeerSpec | undefined {
  const listen = splitAddress(peer?.listen ?? '');
  if (peer === undefined || listen === undefined || stores === undefined) return undefined;
  return { listen, advertise: peer.advertise, keys: keysIn(keys?.peer ?? ''), store: stores.backend };
}

/** Keys separated by white space, already validated. */
export const keysIn = (text: string): readonly Uint8Array<ArrayBuffer>[] =>
  text
    .trim()
    .split(/\s+/)
    .map((key) => new Uint8Array(Buffer.from(key, 'base64url')));
