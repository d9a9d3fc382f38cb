/** The page's connection to the workbench process: JSON-RPC requests and the event stream. Reconnects after a loss or a restart. */
import { type Clock, systemClock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { SseParser } from '../../transport/http-client/sse-parser.ts';
import type { VerbName, VerbParams, VerbResult } from '../protocol.ts';
import type { EventName, WorkbenchEvents } from '../protocol-events.ts';
import { isBlob, isPending } from '../result-reference.ts';

/** `locked`: this tab has no valid token. `ended`: the process announced its end. */
export type ConnectionStage = 'starting' | 'live' | 'lost' | 'ended' | 'locked';

/** A failed request, with a message that can be displayed. */
class VerbError extends Error {
  readonly code: number;
  constructor(message: string, code = 0) {
    super(message);
    this.code = code;
  }
}

interface VerbAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly code: number } | undefined;
}

export interface RpcListener {
  onStage(stage: ConnectionStage, why?: string): void;
  onEvent<E extends EventName>(name: E, params: WorkbenchEvents[E]): void;
}

const TOKEN = 'mooring-workbench-token';
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 2_000;
/** Outcomes of pending requests that are kept until their request is known. */
const MAX_EARLY = 50;

export class RpcClient {
  readonly #listener: RpcListener;
  readonly #clock: Clock;
  /** Shares the token between tabs: a second tab, or one that survived a restart, needs no new URL. */
  readonly #tabs = new BroadcastChannel('mooring-workbench');
  #token: string | null = sessionStorage.getItem(TOKEN);
  /** The id of the last event, to resume the stream. */
  #since: string | undefined;
  #ids = 0;
  #retryMs = FIRST_RETRY_MS;
  #stage: ConnectionStage = 'starting';
  #reading: AbortController | undefined;
  /** Requests that got `{ pending }`. */
  readonly #waiting = new Map<string, (answer: VerbAnswer) => void>();
  /** How often events were lost. */
  #losses = 0;
  /** `answered` events that arrived before their `{ pending }`, or that belong to other tabs. */
  readonly #early = new Map<string, VerbAnswer>();

  constructor(listener: RpcListener, clock: Clock = systemClock) {
    this.#listener = listener;
    this.#clock = clock;
    this.#tabs.onmessage = ({ data }: MessageEvent<unknown>) => this.#onTab(data);
  }

  /** Exchanges the start token of the URL, if there is one, and opens the event stream. */
  async open(): Promise<void> {
    const start = /^#t=([\w.~-]+)$/.exec(location.hash)?.[1];
    if (start !== undefined) {
      history.replaceState(null, '', location.pathname);
      const response = await fetch('/start', {
        method: 'POST',
        headers: jsonBody,
        body: JSON.stringify({ token: start }),
      }).catch(() => undefined);
      const body: unknown = response?.ok === true ? await response.json() : undefined;
      if (typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string')
        this.#adopt(body.token);
    }
    if (this.#token === null) {
      this.#setStage('locked');
      this.#tabs.postMessage({ wants: true });
    } else void this.#listen();
  }

  async call<V extends VerbName>(method: V, params: VerbParams<V>): Promise<VerbResult<V>> {
    const losses = this.#losses;
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#ids, method, params });
    const response = await this.#fetch('/rpc', { method: 'POST', headers: { ...this.#headers(), ...jsonBody }, body });
    const answer = (await response.json()) as VerbAnswer; // from our own process
    const { result, error } = isPending(answer.result)
      ? await this.#waitForAnswer(answer.result.pending, losses)
      : answer;
    if (error !== undefined) throw new VerbError(error.message, error.code);
    return this.whole(result as VerbResult<V>);
  }

  /** The value, or the large value that it refers to, which can be fetched once. */
  async whole<T>(value: T): Promise<T> {
    if (!isBlob(value)) return value;
    const blob = await this.#fetch(`/blob/${encodeURIComponent(value.blob)}`, { headers: this.#headers() });
    return (await blob.json()) as T;
  }

  /** Waits for the `answered` event, which can arrive before the `{ pending }` response, or be lost before it. */
  #waitForAnswer(pending: string, losses: number): Promise<VerbAnswer> {
    if (losses !== this.#losses) return Promise.resolve(lostAnswer);
    const early = this.#early.get(pending);
    this.#early.delete(pending);
    return early === undefined ? new Promise((resolve) => this.#waiting.set(pending, resolve)) : Promise.resolve(early);
  }

  /** Fails all pending requests: their `answered` events were missed, or come from another process. */
  #failWaiting(): void {
    this.#losses++;
    for (const settle of this.#waiting.values()) settle(lostAnswer);
    this.#waiting.clear();
    this.#early.clear();
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const token = this.#token;
    const response = await fetch(path, { ...init, cache: 'no-store' }).catch(() => undefined);
    if (response === undefined) throw new VerbError('The workbench does not respond. Check the terminal that runs it.');
    // The tab can have another token by now.
    if (response.status === 401 && token === this.#token) this.#lock();
    // JSON-RPC errors have a JSON body, whatever the status.
    if (!response.ok && !(response.headers.get('content-type') ?? '').startsWith('application/json'))
      throw new VerbError(`The workbench returned HTTP status ${response.status}. Try again, or reload the page.`);
    return response;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token ?? ''}` };
  }

  #lock(): void {
    if (this.#stage === 'locked') return;
    this.#token = null;
    this.#since = undefined;
    this.#failWaiting();
    sessionStorage.removeItem(TOKEN);
    this.#setStage('locked');
    this.#tabs.postMessage({ wants: true });
  }

  #adopt(token: string): void {
    this.#token = token;
    sessionStorage.setItem(TOKEN, token);
    this.#tabs.postMessage({ token });
  }

  #onTab(data: unknown): void {
    if (typeof data !== 'object' || data === null) return;
    if ('wants' in data && this.#token !== null && this.#stage === 'live')
      this.#tabs.postMessage({ token: this.#token });
    if (!('token' in data) || typeof data.token !== 'string' || this.#stage === 'live' || data.token === this.#token)
      return;
    this.#token = data.token;
    this.#since = undefined;
    this.#failWaiting();
    sessionStorage.setItem(TOKEN, data.token);
    this.#reading?.abort();
    void this.#listen();
  }

  /** Reads the event stream, and reconnects when it ends. */
  async #listen(): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    while (!reading.signal.aborted && this.#token !== null) {
      await this.#read(reading.signal).catch(() => undefined);
      if (reading.signal.aborted || this.#token === null) return;
      if (this.#stage !== 'ended') this.#setStage('lost');
      await new Promise<void>((resolve) => this.#clock.after(this.#retryMs, resolve));
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const query = this.#since === undefined ? '' : `?since=${this.#since}`;
    const response = await this.#fetch(`/events${query}`, { headers: this.#headers(), signal });
    if (!response.ok || response.body === null) return;
    this.#retryMs = FIRST_RETRY_MS;
    const parser = new SseParser(({ data }) => this.#onData(data));
    this.#setStage('live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.push(value);
      this.#since = parser.lastEventId ?? this.#since;
    }
  }

  #onData(data: string): void {
    const { method, params } = JSON.parse(data) as { method: EventName; params: never }; // from our own process
    if (method === 'end') {
      this.#since = undefined;
      this.#setStage('ended', (params as WorkbenchEvents['end']).why);
    }
    if (method === 'end' || (method === 'reload' && (params as WorkbenchEvents['reload']).missed)) this.#failWaiting();
    if (method === 'answered') {
      const { pending, ...answer } = params as VerbAnswer & { pending: string };
      const settle = this.#waiting.get(pending);
      this.#waiting.delete(pending);
      if (settle === undefined) setNewest(this.#early, pending, answer, MAX_EARLY);
      else settle(answer);
    } else this.#listener.onEvent(method, params);
  }

  #setStage(stage: ConnectionStage, why?: string): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#listener.onStage(stage, why);
  }
}

const lostAnswer: VerbAnswer = {
  error: {
    code: 0,
    message: 'The connection was lost before the result arrived. Look for the result in the timeline.',
  },
};
const jsonBody: Readonly<Record<string, string>> = { 'content-type': 'application/json' };
