/** Runs a gateway from a file: listeners, atomic reload, and graceful shutdown. */
import { bearer, jwt } from '../../auth/index.ts';
import { messageOf } from '../../errors.ts';
import { type NdjsonAudit, ndjsonAudit } from '../../host/audit/ndjson-audit.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { Authenticator } from '../../model/auth.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { VERSION } from '../../model/names.ts';
import type { Clock } from '../../peer/clock.ts';
import { Deferred, sleep } from '../../peer/wait.ts';
import type { SharedStores } from '../../stores/shared-stores.ts';
import { type HttpListener, listenHttp } from '../../transport/http/listen-http.ts';
import type { HttpOptions } from '../../transport/node.ts';
import { type CallerTokens, callerTokens } from '../credentials/caller-tokens.ts';
import type { FileEntry, GatewayFile } from '../file/gateway-file.ts';
import { keysIn, SpecMaker } from '../file/spec-of-file.ts';
import {
  DEFAULT_LISTEN,
  DEFAULT_OPERATIONS,
  DEFAULT_PATH,
  type ListenerAddress,
  splitAddress,
} from '../file/split-address.ts';
import { GatewayServer } from '../gateway.ts';
import type { GatewayView } from '../view/gateway-view.ts';
import { gatewayGauges } from './gauges.ts';
import { MetricsRegistry } from './metrics.ts';
import { type OperationsSource, operationsHandler } from './operations-handler.ts';
import { ViewsHandler } from './views-handler.ts';

export interface ProcessOptions {
  readonly clock: Clock;
  /** Overrides the port of the file. */
  readonly port?: number | undefined;
  /** The shared store of all nodes. */
  readonly stores?: SharedStores | undefined;
  readonly onWarning: (warning: string) => void;
}

/** The upstreams that a reload changed, and the members of the file that take effect only after a restart. */
export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly needRestart: readonly string[];
}

/** Members that listeners and stores read only at startup. */
const startupMembers = ['listen', 'operations', 'auth', 'stores', 'keys', 'peer', 'audit'] as const;
/** Withheld parts shown at `/status`. */
const MAX_WITHHELD = 100;
const SETTLE_MS = 5_000;
const DRAIN_MS = 25_000;

export class GatewayProcess implements OperationsSource {
  readonly counters: MetricsRegistry = new MetricsRegistry();
  readonly #options: ProcessOptions;
  readonly #specs: SpecMaker;
  readonly #server: GatewayServer;
  readonly #views: ViewsHandler;
  readonly #startedAt: number;
  readonly #audit: NdjsonAudit | undefined;
  #config: GatewayFile;
  #listener: HttpListener | undefined;
  #operations: HttpListener | undefined;
  #state: 'starting' | 'ready' | 'draining' = 'starting';
  readonly #drained: Deferred<void> = new Deferred();

  constructor(config: GatewayFile, options: ProcessOptions) {
    const { clock, onWarning, stores } = options;
    const callers = callerTokens();
    this.#options = options;
    this.#config = config;
    this.#startedAt = clock.wall();
    const { file = '', ...audited } = config.audit ?? {};
    this.#audit = config.audit === undefined ? undefined : ndjsonAudit(file, { clock, onWarning });
    const audit = this.#audit && { ...audited, to: this.#audit };
    this.#specs = new SpecMaker({ clock, callers, onWarning, audit, stores, metrics: this.counters });
    this.#server = this.#specs.use(config, (spec) => new GatewayServer(spec));
    this.#views = new ViewsHandler((name) => this.#server.view(name), {
      ...httpOptions(config, callers, stores),
      onStoreError: (error) => this.#server.state.noteStoreFailure('sessions', error),
      peers: this.#server.peers,
      clock,
      path: config.listen?.path ?? DEFAULT_PATH,
      sse: config.listen?.sse,
    });
  }

  /** Resolves when the gateway has stopped. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }
  get url(): string {
    return this.#listener?.url ?? '';
  }
  get operationsUrl(): string {
    return this.#operations?.url ?? '';
  }

  isReady(): boolean {
    return this.#state === 'ready';
  }

  status(): object {
    const { name, version } = this.#server.state.info;
    return {
      name,
      version,
      mooring: VERSION,
      state: this.#state,
      startedAt: new Date(this.#startedAt).toISOString(),
      waitingCalls: this.#server.state.bridge.waiting,
      views: [...this.#server.state.views.keys()],
      upstreams: [...this.#server.upstreams.values()],
      withheld: [...this.#server.state.views].flatMap(withheldIn).slice(0, MAX_WITHHELD),
    };
  }

  metrics(): string {
    return this.counters.text(gatewayGauges(this.#server));
  }

  /** Applies a new file from the next message on. If it is invalid, changes nothing and returns the reason. */
  reload(config: GatewayFile): ReloadReport | string {
    try {
      const report = this.#reload(config);
      this.counters.count('reload_total', { end: 'done' });
      return report;
    } catch (thrown) {
      this.counters.count('reload_total', { end: 'failed' });
      return messageOf(thrown);
    }
  }

  #reload(config: GatewayFile): ReloadReport {
    const drainMs = config.drain?.drainMs ?? DRAIN_MS;
    const before = new Map(this.#server.state.upstreams.all);
    this.#specs.use(config, (spec) => this.#server.reload(spec, drainMs));
    const { upstreams, views } = this.#server.state;
    this.#views.serve([...views.keys()], drainMs);
    const needRestart = startupMembers.filter(
      (name) => canonicalJson(config[name] ?? null) !== canonicalJson(this.#config[name] ?? null),
    );
    this.#config = config;
    return {
      added: [...upstreams.all.keys()].filter((label) => !before.has(label)),
      removed: [...before.keys()].filter((label) => !upstreams.all.has(label)),
      changed: [...upstreams.all].flatMap(([label, one]) =>
        before.has(label) && before.get(label) !== one ? [label] : [],
      ),
      needRestart,
    };
  }

  /** Graceful shutdown: not ready immediately, no new calls after `settleMs`, then up to `drainMs` for running calls. Idempotent. */
  drain(settleMs: number = this.#config.drain?.settleMs ?? SETTLE_MS): Promise<void> {
    if (this.#state !== 'draining') void this.#stop(settleMs).then(this.#drained.resolve);
    return this.drained;
  }

  /** Resolves when the listeners are open. Upstreams can still be down. */
  async listen(): Promise<void> {
    const { clock } = this.#options;
    const { nodes, bridge, views: all } = this.#server.state;
    this.#views.serve([...all.keys()], DRAIN_MS);
    // Before the first caller: otherwise, other nodes could not resume calls that wait here.
    await nodes?.start(bridge);
    const { listen = {}, operations = {} } = this.#config;
    const address = addressOf(listen.address, DEFAULT_LISTEN);
    const port = this.#options.port ?? address.port;
    const views = Object.assign(this.#views.handle, { close: (drainMs: number) => this.#views.close(drainMs) });
    this.#listener = await listenHttp(views, { ...address, port, clock }, listen.path ?? DEFAULT_PATH);
    const own = addressOf(operations.listen, DEFAULT_OPERATIONS);
    const handler = operationsHandler(this, { token: operations.token, isLoopback: isLoopbackHost(own.host) });
    const closing = Object.assign(handler, { close: () => Promise.resolve() });
    this.#operations = await listenHttp(closing, { ...own, clock }, '');
    this.#state = 'ready';
    // Connects to upstreams in the background, so that the first caller does not wait for their lists.
    for (const name of all.keys()) void Promise.resolve(this.#server.view(name).prepare()).catch(() => undefined);
  }

  /** Takes every step, so that the failure of one leaves nothing open. Never rejects. */
  async #stop(settleMs: number): Promise<void> {
    const { clock, onWarning } = this.#options;
    this.#state = 'draining';
    this.#views.beginDrain();
    // Until the load balancer sees /ready fail, it keeps sending requests here, which are served.
    await sleep(clock, settleMs);
    const until = clock.now() + (this.#config.drain?.drainMs ?? DRAIN_MS);
    const leftMs = (): number => Math.max(0, until - clock.now());
    const steps = [
      async () => this.#listener?.close(leftMs()),
      // From here on, answers for waiting calls arrive through other nodes, if there are any.
      async () => this.#server.close(leftMs()),
      async () => this.#audit?.close(),
      async () => this.#operations?.close(0),
    ];
    for (const step of steps)
      await step().catch((thrown: unknown) => onWarning(`The gateway did not stop cleanly: ${messageOf(thrown)}`));
  }
}

const withheldIn = ([view, { withheld }]: readonly [string, GatewayView]): readonly object[] =>
  withheld.map(({ label: upstream, kind, key: name, why }) => ({ view, upstream, kind, name, why }));

const addressOf = (written: string | undefined, otherwise: string): ListenerAddress =>
  // Validated with the file, so the fallback is never used.
  splitAddress(written ?? otherwise) ?? { host: '127.0.0.1', port: 0 };

function httpOptions(
  { listen = {}, keys, auth }: GatewayFile,
  callers: CallerTokens,
  stores: SharedStores | undefined,
): HttpOptions {
  const { hosts: allowedHosts, origins: allowedOrigins, sessions = 'store' } = listen;
  return defined<HttpOptions>({
    ...{ allowedHosts, allowedOrigins },
    auth: auth && callers.remember(authenticatorOf(auth)),
    ...(sessions === 'store' && stores !== undefined ? { sessions: stores.sessions, eventLog: stores.eventLog } : {}),
    ...(sessions === 'none' ? { sessions } : {}),
    ...(sessions === 'sealed' ? { sessions: { sealed: keysIn(keys?.state ?? '') } } : {}),
  });
}

function authenticatorOf({ issuer, audience, jwksUri, scopes }: FileEntry<'auth'>): Authenticator {
  const verify = jwt({ issuer, ...(jwksUri === undefined ? {} : { jwksUri }) });
  return bearer({ verify, audience, ...(scopes === undefined ? {} : { scopes }) });
}

export async function startGateway(config: GatewayFile, options: ProcessOptions): Promise<GatewayProcess> {
  const started = new GatewayProcess(config, options);
  await started.listen().catch(async (thrown: unknown) => {
    await started.drain(0);
    throw thrown;
  });
  return started;
}
