/** The state of each server as pages show it: chosen revision, stage, failure. A server is opened only when the user wants it. */
import { McpError, messageOf } from '../errors.ts';
import { classifySource, writtenText } from '../host/config/source.ts';
import type { ManagedServer, ServerSource } from '../host/index.ts';
import { printable } from '../model/printable.ts';
import type { DoctorRow, FailureText, ServerInfo, ServerStage } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';

const MAX_LOG_LINES = 20;
/** The list changes that the workbench subscribes to. */
const WATCHED = { tools: true, prompts: true, resources: true } as const;

interface ServerRecord extends Pick<ServerInfo, 'added'> {
  readonly source: ServerSource;
  /** Replaces the address of the source, for the replay of a recording. */
  readonly name: string | undefined;
  chosen: string | undefined;
  isWanted: boolean;
  /** Incremented when the server is opened or stopped, so that results of an earlier attempt are ignored. */
  attempt: number;
  wasReady: boolean;
  latencyMs: number | undefined;
  failure: FailureText | undefined;
  /** Ends the subscription to list changes. A server that is connected already can be connected again. */
  following?: AbortController;
  /** From the last handshake. */
  introduced: Pick<ServerInfo, 'revision' | 'name' | 'version' | 'instructions' | 'capabilities'>;
}

export class WorkbenchServers {
  readonly #bench: WorkbenchCore;
  readonly #records: Map<string, ServerRecord> = new Map();

  constructor(bench: WorkbenchCore) {
    this.#bench = bench;
    for (const [label, source] of Object.entries(bench.options.servers)) this.#register(label, source);
  }

  revisionsOf(label: string): readonly string[] | undefined {
    const { chosen } = this.#records.get(label) ?? {};
    return chosen === undefined ? undefined : [chosen];
  }

  source(label: string): ServerSource | undefined {
    return this.#records.get(label)?.source;
  }

  clearFailure(label: string): void {
    const record = this.#records.get(label);
    if (record !== undefined) record.failure = undefined;
  }

  setLatency(label: string, ms: number): void {
    const record = this.#records.get(label);
    if (record !== undefined) record.latencyMs = ms;
  }

  list(): readonly ServerInfo[] {
    return [...this.#records.keys()].map((label) => this.info(label));
  }

  /** Servers that are being opened, so that lists lack their items for a moment. */
  opening(): readonly string[] {
    return this.list().flatMap(({ label, stage }) => (openingStages.includes(stage) ? [label] : []));
  }

  info(label: string): ServerInfo {
    const [server, record] = this.#lookUp(label);
    const { source, name, added, chosen, latencyMs, failure, introduced } = record;
    const found = classifySource(source);
    const from = found !== undefined && 'from' in found.source ? found.source.from : undefined;
    return {
      label,
      stage: stageOf(server, record),
      kind: found?.kind === 'url' || found?.kind === 'command' ? found.kind : 'process',
      address: this.#bench.scrub(label, name ?? (server.address === '' ? addressOf(source) : server.address)),
      origin: from === undefined ? undefined : { file: from.file, line: from.line, name: from.name },
      ...{ added, chosen, latencyMs, failure, ...introduced },
      needsSignIn: failure?.fault === 'sign-in-needed',
    };
  }

  /** Resolves when the server is ready or has failed. `null` negotiates the revision; undefined keeps the choice. */
  async connect(label: string, revision?: string | null): Promise<ServerInfo> {
    const [server, record] = this.#lookUp(label);
    const changes = revision !== undefined && (revision ?? undefined) !== record.chosen;
    if (changes) record.chosen = revision ?? undefined;
    if (changes && record.isWanted) await this.#bench.host.servers.disable(label);
    record.isWanted = true;
    record.failure = undefined;
    const attempt = ++record.attempt;
    this.#bench.host.servers.enable(label);
    try {
      const { server: introduced, watch } = await server.connect();
      const { info, revision: spoken, instructions, capabilities } = introduced;
      const { name, version } = info ?? {};
      record.introduced = this.#bench.scrub(label, {
        ...{ name, version, instructions, revision: spoken, capabilities: { ...capabilities } },
      });
      record.wasReady = true;
      record.following?.abort();
      record.following = new AbortController();
      void this.#followLists(label, watch(WATCHED, { signal: record.following.signal }));
    } catch (error) {
      if (record.attempt === attempt) await this.#setFailure(label, error);
    }
    this.#emitInfo(label);
    return this.info(label);
  }

  async stop(label: string): Promise<ServerInfo> {
    const [, record] = this.#lookUp(label);
    record.isWanted = false;
    record.failure = undefined;
    record.attempt++;
    await this.#bench.host.servers.disable(label);
    this.#emitInfo(label);
    return this.info(label);
  }

  /** Keeps `isWanted`, so the stage is `restarting` and the page keeps displaying what the server offers. */
  async restart(label: string, revision?: string | null): Promise<ServerInfo> {
    const [, record] = this.#lookUp(label);
    record.isWanted = true;
    record.failure = undefined;
    record.attempt++;
    await this.#bench.host.servers.disable(label);
    return this.connect(label, revision);
  }

  /** Adds a server that the user typed into a page, or the replay of the recording `name`. */
  add(label: string, source: ServerSource, name?: string): void {
    this.#bench.host.servers.add(label, this.#bench.withHttpTap(label, source));
    this.#register(label, source, { added: name === undefined ? 'page' : 'recording', name });
    this.#emitInfo(label);
  }

  /** Connects the server unless it is wanted already. Throws `MCP_CLOSED` if that fails. */
  async ensureReady(label: string): Promise<void> {
    const [, record] = this.#lookUp(label);
    if (record.isWanted && record.failure === undefined) return;
    const { failure } = await this.connect(label);
    if (failure !== undefined) throw new McpError('MCP_CLOSED', { why: failure.sentence });
  }

  #emitInfo(label: string): void {
    this.#bench.feed.emit('server', { server: this.info(label) });
  }

  #lookUp(label: string): [ManagedServer, ServerRecord] {
    const [server, record] = [this.#bench.host.servers.get(label), this.#records.get(label)];
    if (server !== undefined && record !== undefined) return [server, record];
    const why = `unknown server "${printable(label)}"`;
    throw new McpError('MCP_BAD_ARGUMENT', { argument: 'server', why });
  }

  #register(label: string, source: ServerSource, about: Partial<Pick<ServerRecord, 'added' | 'name'>> = {}): void {
    const { host } = this.#bench;
    const record: ServerRecord = {
      ...{ source, added: about.added, name: about.name },
      ...{ chosen: undefined, isWanted: false, wasReady: false, attempt: 0 },
      ...{ latencyMs: undefined, failure: undefined, introduced: {} },
    };
    this.#records.set(label, record);
    // Catalogue lists open every enabled server. Disabled until the user connects it.
    void host.servers.disable(label);
    const server = host.servers.get(label);
    server?.onLog((line) => this.#bench.queueLog(label, line));
    server?.onState((state) => {
      // In every other state, including `connecting`: requests that were sent into the ended connection get no response.
      if (state !== 'ready') this.#bench.history.endSpans(label, this.#bench.clock.wall());
      if (state === 'failed' && server.failure !== undefined && record.wasReady)
        void this.#setFailure(label, server.failure);
      else this.#emitInfo(label);
    });
  }

  async #setFailure(label: string, error: unknown): Promise<void> {
    const [server, record] = this.#lookUp(label);
    if (record.failure !== undefined) return;
    const log = server.log.slice(-MAX_LOG_LINES);
    const sentence = messageOf(error);
    record.failure = this.#bench.scrub(label, { sentence, log });
    record.isWanted = false;
    await this.#bench.host.servers.disable(label);
    this.#emitInfo(label);
  }

  /** Replaces the failure by the doctor's sentence and remedy. The host keeps the permission to open the server until this resolves. */
  async examineFailure(label: string, error: Error): Promise<void> {
    const [, record] = this.#lookUp(label);
    await this.#setFailure(label, error);
    const { attempt, failure } = record;
    if (error instanceof McpError && error.code === 'MCP_CANCELLED') return;
    const found = await this.#bench.options.examine(label, record.source).catch(() => []);
    const fault = found.find(({ state }) => state === 'failed');
    if (fault === undefined || failure === undefined || record.attempt !== attempt) return;
    const { found: sentence, fix: remedy, fault: name } = fault;
    record.failure = { ...failure, ...this.#bench.scrub(label, { sentence, remedy, fault: name }) };
    this.#emitInfo(label);
  }

  /** Runs the doctor. It starts the server, so the same permission is needed as for opening it. */
  async examine(label: string): Promise<readonly DoctorRow[]> {
    const [, { source }] = this.#lookUp(label);
    const { host, options } = this.#bench;
    return this.#bench.scrub(label, await host.passOpening(label, () => options.examine(label, source)));
  }

  async #followLists(label: string, changes: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of changes) this.#bench.queueNewest(label, 'catalogue', { server: label });
    } catch {
      // The connection ended. The page reloads lists when the server's stage changes.
    }
  }
}

const openingStages: readonly ServerStage[] = ['connecting', 'restarting', 'asking'];

function stageOf(server: ManagedServer, { failure, wasReady, isWanted }: ServerRecord): ServerStage {
  if (server.asking) return 'asking';
  if (failure !== undefined) return wasReady ? 'crashed' : 'failed';
  if (server.state === 'disabled' && isWanted) return 'restarting';
  if (server.state === 'disabled') return wasReady ? 'stopped' : 'idle';
  return server.state;
}

/** The URL or command line as configured, with placeholders. */
export function addressOf(source: ServerSource): string {
  const found = classifySource(source);
  if (found?.kind === 'url') return writtenText(found.source.url);
  if (found?.kind !== 'command') return 'a server in this process';
  const { command, args = [], shownAs } = found.source;
  return shownAs === undefined ? [command, ...args].map(writtenText).join(' ') : shownAs.join(' ');
}
