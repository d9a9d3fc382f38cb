/** The servers as pages see them: what was chosen for each, how it is, and why it failed. None is opened before a user wants it. */
import { McpError, messageOf } from '../errors.ts';
import { classifySource, writtenText } from '../host/config/source.ts';
import type { ManagedServer, ServerSource } from '../host/index.ts';
import { printable } from '../model/printable.ts';
import type { DoctorRow, FailureText, ServerInfo, ServerStage } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';

const MAX_LOG_LINES = 20;
/** Of lists that a server says have changed. */
const WATCHED = { tools: true, prompts: true, resources: true } as const;

interface ServerRecord {
  readonly source: ServerSource;
  chosen: string | undefined;
  isWanted: boolean;
  /** How often it was opened or stopped: what came of an earlier attempt says nothing about this one. */
  attempt: number;
  wasReady: boolean;
  latencyMs: number | undefined;
  failure: FailureText | undefined;
  introduced: Pick<ServerInfo, 'revision' | 'name' | 'version' | 'instructions' | 'capabilities'>;
}

export class WorkbenchServers {
  readonly #bench: WorkbenchCore;
  readonly #records: Map<string, ServerRecord> = new Map();

  constructor(bench: WorkbenchCore) {
    this.#bench = bench;
    for (const [label, source] of Object.entries(bench.options.servers)) this.#follow(label, source);
  }

  revisionsOf(label: string): readonly string[] | undefined {
    const { chosen } = this.#records.get(label) ?? {};
    return chosen === undefined ? undefined : [chosen];
  }

  source(label: string): ServerSource | undefined {
    return this.#records.get(label)?.source;
  }

  opening(label: string): void {
    const record = this.#records.get(label);
    if (record !== undefined) record.failure = undefined;
  }

  heardLatency(label: string, ms: number): void {
    const record = this.#records.get(label);
    if (record !== undefined) record.latencyMs = ms;
  }

  list(): readonly ServerInfo[] {
    return [...this.#records.keys()].map((label) => this.info(label));
  }

  info(label: string): ServerInfo {
    const [server, record] = this.#known(label);
    const { source, chosen, latencyMs, failure, introduced } = record;
    const found = classifySource(source);
    const from = found !== undefined && 'from' in found.source ? found.source.from : undefined;
    return {
      label,
      stage: stageOf(server, record),
      kind: found?.kind === 'url' || found?.kind === 'command' ? found.kind : 'process',
      address: this.#bench.scrub(label, server.address === '' ? addressOf(source) : server.address),
      origin: from === undefined ? undefined : { file: from.file, line: from.line, name: from.name },
      ...{ chosen, latencyMs, failure, ...introduced },
      needsSignIn: failure?.fault === 'sign-in-needed',
    };
  }

  /** Resolves when it is ready or has failed. `null` negotiates the revision. */
  async connect(label: string, revision?: string | null): Promise<ServerInfo> {
    const [server, record] = this.#known(label);
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
      void this.#followLists(label, watch);
    } catch (error) {
      if (record.attempt === attempt) await this.#failed(label, error);
    }
    this.tell(label);
    return this.info(label);
  }

  async stop(label: string): Promise<ServerInfo> {
    const [, record] = this.#known(label);
    record.isWanted = false;
    record.failure = undefined;
    record.attempt++;
    await this.#bench.host.servers.disable(label);
    this.tell(label);
    return this.info(label);
  }

  /** Wanted all the time: what it offers stays on the screen meanwhile. */
  async restart(label: string, revision?: string | null): Promise<ServerInfo> {
    const [, record] = this.#known(label);
    record.isWanted = true;
    record.failure = undefined;
    record.attempt++;
    await this.#bench.host.servers.disable(label);
    return this.connect(label, revision);
  }

  add(label: string, source: ServerSource): void {
    this.#bench.host.servers.add(label, this.#bench.tapped(label, source));
    this.#follow(label, source);
    this.tell(label);
  }

  /** Opens it where a user has not yet. Throws why it cannot be used. */
  async ready(label: string): Promise<void> {
    const [, record] = this.#known(label);
    if (record.isWanted && record.failure === undefined) return;
    const { failure } = await this.connect(label);
    if (failure !== undefined) throw new McpError('MCP_CLOSED', { why: failure.sentence });
  }

  tell(label: string): void {
    this.#bench.feed.emit('server', { server: this.info(label) });
  }

  #known(label: string): [ManagedServer, ServerRecord] {
    const [server, record] = [this.#bench.host.servers.get(label), this.#records.get(label)];
    if (server !== undefined && record !== undefined) return [server, record];
    const why = `there is no server "${printable(label)}"`;
    throw new McpError('MCP_BAD_ARGUMENT', { argument: 'server', why });
  }

  #follow(label: string, source: ServerSource): void {
    const { host } = this.#bench;
    const record: ServerRecord = {
      ...{ source, chosen: undefined, isWanted: false, wasReady: false, attempt: 0 },
      ...{ latencyMs: undefined, failure: undefined, introduced: {} },
    };
    this.#records.set(label, record);
    // A list of the catalogue opens every server that it can: this one only after the user did.
    void host.servers.disable(label);
    const server = host.servers.get(label);
    server?.onLog((line) => this.#bench.tellLog(label, line));
    server?.onState((state) => {
      // Also before the next one is opened: what was sent into a connection that had ended gets no response.
      if (state !== 'ready') this.#bench.history.lose(label, this.#bench.clock.wall());
      if (state === 'failed' && server.failure !== undefined && record.wasReady)
        void this.#failed(label, server.failure);
      else this.tell(label);
    });
  }

  async #failed(label: string, error: unknown): Promise<void> {
    const [server, record] = this.#known(label);
    if (record.failure !== undefined) return;
    const log = server.log.slice(-MAX_LOG_LINES);
    const sentence = messageOf(error);
    record.failure = this.#bench.scrub(label, { sentence, log });
    record.isWanted = false;
    await this.#bench.host.servers.disable(label);
    this.tell(label);
  }

  /** The doctor's sentence and remedy, which take a moment. The permission to open the server lasts until then. */
  async examineFailure(label: string, error: Error): Promise<void> {
    const [, record] = this.#known(label);
    await this.#failed(label, error);
    const { attempt, failure } = record;
    if (error instanceof McpError && error.code === 'MCP_CANCELLED') return;
    const found = await this.#bench.options.examine(label, record.source).catch(() => []);
    const fault = found.find(({ state }) => state === 'failed');
    if (fault === undefined || failure === undefined || record.attempt !== attempt) return;
    const { found: sentence, fix: remedy, fault: name } = fault;
    record.failure = { ...failure, ...this.#bench.scrub(label, { sentence, remedy, fault: name }) };
    this.tell(label);
  }

  /** What the doctor finds. It starts the server, so it takes the same permission. */
  async examine(label: string): Promise<readonly DoctorRow[]> {
    const [, { source }] = this.#known(label);
    const { host, options } = this.#bench;
    return this.#bench.scrub(label, await host.passOpening(label, () => options.examine(label, source)));
  }

  async #followLists(label: string, watch: (filter: typeof WATCHED) => AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of watch(WATCHED)) this.#bench.feed.emit('catalogue', { server: label });
    } catch {
      // Lists are asked for again when they are shown.
    }
  }
}

function stageOf(server: ManagedServer, { failure, wasReady, isWanted }: ServerRecord): ServerStage {
  if (server.asking) return 'asking';
  if (failure !== undefined) return wasReady ? 'crashed' : 'failed';
  if (server.state === 'disabled' && isWanted) return 'restarting';
  if (server.state === 'disabled') return wasReady ? 'stopped' : 'idle';
  return server.state;
}

/** Before it was opened: as it is written down. Placeholders stay. */
export function addressOf(source: ServerSource): string {
  const found = classifySource(source);
  if (found?.kind === 'url') return writtenText(found.source.url);
  if (found?.kind !== 'command') return 'a server in this process';
  const { command, args = [], shownAs } = found.source;
  return shownAs === undefined ? [command, ...args].map(writtenText).join(' ') : shownAs.join(' ');
}
