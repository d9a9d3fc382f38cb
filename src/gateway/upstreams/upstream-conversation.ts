/** One conversation with an upstream: timeouts, log messages, and classification of failures for the circuit breaker. */
import type { Client } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import { type JsonObject, METHOD_NOT_FOUND } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../model/caller.ts';
import { atLeast, type LoggingLevel, type LogMessage } from '../../model/logging.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { Revision } from '../../revisions/contract.ts';
import { checkResultType } from '../../revisions/decode.ts';
import { pickKnown } from '../../revisions/encode.ts';
import { findRevision } from '../../revisions/index.ts';
import type { UpstreamAudience, UpstreamClient, UpstreamRequestOptions } from '../contract.ts';
import type { Circuit } from './circuit.ts';
import { SESSION_LOST, UpstreamError, unusableAnswer } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

const NO_TYPES: ReadonlySet<unknown> = new Set();

export interface UpstreamConversationOptions {
  readonly settings: UpstreamSettings;
  readonly circuit: Circuit;
  /** Callers with the same key share the conversation. */
  readonly key: string;
  /** Undefined for the gateway's own conversation. */
  readonly audience: UpstreamAudience | undefined;
  /** Concurrent calls: one, if a question does not say which call it belongs to. */
  readonly maxLeases: number;
  /** Capabilities declared in the handshake. Empty if callers share it, so that no caller gets another's question. */
  readonly declared: JsonObject;
  /** Called for each call whose connection was lost, with the reason. Calls of one connection have the same. */
  readonly onLost: (reason: unknown) => void;
}

export class UpstreamConversation implements UpstreamClient {
  readonly label: string;
  readonly #options: UpstreamConversationOptions;
  #client: Client | undefined;
  #opened: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly #open: Set<UpstreamRequestOptions> = new Set();
  #level: LoggingLevel | undefined;
  #user: string | undefined;
  /** Whether several principals have used it. If so, log messages without a request go to no caller. */
  #isShared = false;
  /** Calls that use it now. */
  leases = 0;
  stopIdle: (() => void) | undefined;
  /** Kept open while it is idle, because callers listen to changes of its lists. */
  isKeptOpen = false;

  constructor(options: UpstreamConversationOptions) {
    this.label = options.settings.label;
    this.#options = options;
  }

  get key(): string {
    return this.#options.key;
  }
  get audience(): UpstreamAudience | undefined {
    return this.#options.audience;
  }
  get principal(): string {
    return this.#options.audience?.principal ?? '';
  }
  get hasRoom(): boolean {
    return this.leases < this.#options.maxLeases && !this.isLost;
  }
  /** Whether the upstream has lost the session with this caller's state. */
  get isLost(): boolean {
    return this.#options.settings.isolate === 'session' && this.#client?.state === 'lost';
  }
  get isOpen(): boolean {
    return this.#client !== undefined;
  }
  get opened(): Promise<void> {
    return this.#opened;
  }

  opens(opening: Promise<Client>, onOpen: () => void): void {
    this.#opened = opening.then((client) => {
      this.#client = client;
      onOpen();
    });
    this.#opened.catch(() => undefined);
  }

  lease(principal: string): void {
    this.leases++;
    this.#user ??= principal;
    if (this.#user !== principal) this.#isShared = true;
    this.stopIdle?.();
    this.stopIdle = undefined;
  }

  get client(): Client {
    if (this.#client === undefined) throw new UpstreamError(this.label, 'not-sent', 'is not connected yet');
    return this.#client;
  }

  get revision(): Revision {
    const revision = findRevision(this.client.server.revision);
    if (revision === undefined) throw new UpstreamError(this.label, 'not-sent', 'speaks no known revision');
    return revision;
  }

  get capabilities(): ServerCapabilities {
    return this.client.server.capabilities;
  }

  /** Whether the handshake declared that no questions are answered. */
  get #isSilent(): boolean {
    return this.#client !== undefined && this.revision.hasSessions && Object.keys(this.#options.declared).length === 0;
  }

  /** A log message outside of a request goes to the only open call, if there is exactly one. */
  readonly onLog = (message: LogMessage): void => {
    const [only, ...others] = this.#open;
    if (others.length === 0 && !this.#isShared) only?.onLog?.(message);
  };

  async request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject> {
    const { circuit, settings } = this.#options;
    const { callMs: timeoutMs, maxCallMs: maxTimeoutMs } = settings.timeouts;
    const { signal, link, logLevel, onLog, onProgress } = options;
    const { capabilities, ask }: UpstreamRequestOptions = this.#isSilent ? {} : options;
    const timed = { timeoutMs, maxTimeoutMs, signal, link, logLevel, onLog, onProgress, capabilities, ask };
    // A list is fetched without `onLog`, and wants no log messages.
    if (onLog !== undefined) this.#open.add(timed);
    try {
      const { revision } = this;
      if (revision.hasSessions && logLevel !== undefined) await this.#raiseLevel(logLevel, signal ?? link?.signal);
      const known =
        method === 'completion/complete' ? pickKnown(revision.vocabulary, 'CompleteParams', params) : params;
      const result = await this.client.request(method, known, timed);
      circuit.succeeded();
      checkResultType(revision, method, result, NO_TYPES);
      return result;
    } catch (error) {
      throw this.#classifyError(error, method);
    } finally {
      this.#open.delete(timed);
    }
  }

  close(): Promise<void> {
    this.stopIdle?.();
    this.#closing ??= this.#opened.then(() => this.#client?.close());
    return this.#closing;
  }

  /** A session has one log level, so it is set to the most verbose that any call wants. The client sets it again after a reconnect. */
  async #raiseLevel(level: LoggingLevel, signal: AbortSignal | undefined): Promise<void> {
    if (this.capabilities.logging === undefined || (this.#level !== undefined && atLeast(level, this.#level))) return;
    this.#level = level;
    await untilAborted(this.client.setLogLevel(level), signal).catch(() => undefined);
  }

  #classifyError(error: unknown, method: string): unknown {
    const { circuit } = this.#options;
    if (error instanceof RpcError || error instanceof UpstreamError) {
      circuit.succeeded();
      return error;
    }
    if (!(error instanceof McpError) || error.code === 'MCP_CANCELLED' || error.code === 'MCP_NOT_OFFERED') {
      circuit.abandoned();
      const isMissing = error instanceof McpError && error.code === 'MCP_NOT_OFFERED';
      return isMissing ? new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`) : error;
    }
    if (this.isLost && error.code !== 'MCP_OUTCOME_UNKNOWN')
      return new UpstreamError(this.label, 'not-sent', SESSION_LOST, { cause: error });
    if (error.code === 'MCP_OUTCOME_UNKNOWN') this.#options.onLost(error.cause);
    if (error.kind === 'offline' || error.kind === 'exit') circuit.failed();
    else circuit.succeeded();
    const outcome = error.kind === 'auth' || unsent.has(error.code) ? 'not-sent' : 'unknown';
    return new UpstreamError(this.label, outcome, unusableAnswer(error, method), { cause: error });
  }
}

/** Failures that prove that the upstream did not process the request, besides those of authorization. */
const unsent: ReadonlySet<string> = new Set(['MCP_UNREACHABLE', 'MCP_SPAWN_FAILED', 'MCP_SESSION_LOST']);
