/** Sends requests to a model provider over HTTP, with limits on retries, time and size. The API key appears in no error. */
import { badDefinition, McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { networkReason, printable } from '../../model/printable.ts';
import { MASK } from '../../model/secrets.ts';
import { valueKind } from '../../model/value-kind.ts';
import { backoffMs } from '../../peer/backoff.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { retryAfter } from '../../transport/http-client/http-errors.ts';
import { SseParser } from '../../transport/http-client/sse-parser.ts';
import { INACTIVITY_MS, InactivityTimeout } from './inactivity-timeout.ts';
import type { ModelTraits } from './model.ts';

/** Attempts until a reply starts. A reply that breaks off later is not retried: it was paid for, and may be on screen. */
const MAX_ATTEMPTS = 3;
/** A longer Retry-After is an error. */
const MAX_PAUSE_MS = 60_000;
/** Maximum size of a streamed reply, in bytes. */
const MAX_ANSWER: number = 16 * 1024 * 1024;
/** Characters that are read of a rejection. */
const MAX_REJECTION = 4_096;
/** Status codes of temporary failures. */
const retryable: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

/** Settings of a provider's API. */
export interface ProviderOptions {
  readonly apiKey: string;
  /** The URL of the API. Default: the provider's own. Plain `http:` is accepted only for this machine. */
  readonly baseUrl?: string;
  /** The models to use, the default first, by the provider's names. */
  readonly model: string | ModelTraits | readonly (string | ModelTraits)[];
  readonly clock?: Clock;
  /** Returns a number between 0 and 1, for the jitter of retry delays. */
  readonly random?: () => number;
}

interface ProviderRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly signal: AbortSignal | undefined;
  /** Receives each parsed event. */
  onEvent(event: JsonObject): void;
  /** Receives the status and the text of a rejection, before it is thrown. */
  onRejected?(status: number, text: string): void;
}

export class ProviderClient {
  readonly models: readonly ModelTraits[];
  readonly base: URL;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: ProviderOptions, home: string) {
    const { apiKey, baseUrl, model, clock = systemClock, random = Math.random } = Object(options) as ProviderOptions;
    if (typeof apiKey !== 'string')
      throw badDefinition('A model', `"apiKey" must be text, not ${valueKind(apiKey)}; is its variable set?`);
    this.models = traitsOf(model);
    this.base = baseOf(baseUrl ?? home);
    this.#key = apiKey;
    this.#clock = clock;
    this.#random = random;
  }

  /** Resolves when the stream has ended. */
  async send(request: ProviderRequest): Promise<void> {
    const inactivity = new InactivityTimeout(this.#clock, request.signal);
    try {
      const response = await this.#fetchWithRetries(request, inactivity);
      await this.#readStream(response, request, inactivity);
    } catch (error) {
      throw this.#toError(error, request, inactivity);
    } finally {
      inactivity.stop();
    }
  }

  /** The error for a failure of the provider. Masks the key and escapes control characters. */
  toFailure(url: URL, why: string): McpError {
    const masked = this.#key === '' ? why : why.replaceAll(this.#key, MASK);
    return new McpError('MCP_MODEL_FAILED', { url: url.origin, why: printable(masked.slice(0, 500)) });
  }

  async #fetchWithRetries(request: ProviderRequest, inactivity: InactivityTimeout): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === MAX_ATTEMPTS;
      const { response, why } = await this.#fetchOnce(request, inactivity);
      if (response?.ok === true) return response;
      const pause = retryAfter(response?.headers.get('retry-after') ?? undefined, this.#clock);
      if (response !== undefined && (isLast || !retryable.has(response.status) || (pause ?? 0) > MAX_PAUSE_MS))
        throw await this.#toRejection(response, request);
      await response?.body?.cancel();
      if (isLast) throw this.toFailure(request.url, `it cannot be reached: ${why}`);
      await inactivity.pause(pause ?? backoffMs(attempt, this.#random()));
    }
  }

  async #fetchOnce(
    { url, headers, body }: ProviderRequest,
    { signal }: InactivityTimeout,
  ): Promise<{ readonly response?: Response; readonly why?: string }> {
    try {
      const sent = { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' };
      // A redirect would send the key to another URL.
      const init: RequestInit = { method: 'POST', headers: sent, redirect: 'error', signal };
      return { response: await fetch(url, { ...init, body: JSON.stringify(body) }) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { why: networkReason(error) };
    }
  }

  async #toRejection(response: Response, { url, onRejected }: ProviderRequest): Promise<McpError> {
    const text = await readStart(response).catch(() => '');
    const { status } = response;
    onRejected?.(status, text);
    const wait = response.headers.get('retry-after');
    const asks = wait === null ? '' : `, and asks to wait ${wait.slice(0, 40)}`;
    return this.toFailure(url, `it answered with status ${status}${asks}${text === '' ? '' : `: ${messageIn(text)}`}`);
  }

  async #readStream(
    response: Response,
    { url, onEvent }: ProviderRequest,
    inactivity: InactivityTimeout,
  ): Promise<void> {
    const parser = new SseParser(({ data }) => this.#parseEvent(data, url, onEvent));
    const decoder = new TextDecoder();
    let length = 0;
    for await (const chunk of response.body ?? []) {
      inactivity.reset();
      length += chunk.length;
      if (length > MAX_ANSWER)
        throw new McpError('MCP_TOO_LARGE', { what: 'The answer of a model', limit: MAX_ANSWER, setting: 'fixed' });
      parser.push(decoder.decode(chunk, { stream: true }));
    }
  }

  #parseEvent(data: string, url: URL, onEvent: (event: JsonObject) => void): void {
    if (data === '[DONE]') return;
    const event = parseObject(data);
    if (event === undefined) throw this.toFailure(url, 'its stream has an event that is not a JSON object');
    const { error } = event;
    if (error !== undefined && error !== null)
      throw this.toFailure(url, `it stopped its response with an error: ${messageIn(data)}`);
    onEvent(event);
  }

  #toError(error: unknown, { url, signal }: ProviderRequest, inactivity: InactivityTimeout): unknown {
    if (signal?.aborted === true)
      return new McpError('MCP_CANCELLED', { method: 'A model', why: 'the caller cancelled it' }, { cause: error });
    if (inactivity.signal.aborted)
      return new McpError('MCP_TIMEOUT', { method: url.origin, ms: INACTIVITY_MS, setting: 'fixed' });
    return error instanceof McpError ? error : this.toFailure(url, `the connection broke: ${networkReason(error)}`);
  }
}

function traitsOf(model: ProviderOptions['model']): readonly ModelTraits[] {
  const given = Array.isArray(model) ? (model as readonly (string | ModelTraits)[]) : [model as string | ModelTraits]; // a list, or one
  const traits = given.map((one): ModelTraits => (typeof one === 'string' ? { name: one } : one));
  if (traits.length === 0 || traits.some((one) => typeof one?.name !== 'string' || one.name === ''))
    throw badDefinition('A model', '"model" must name at least one');
  return traits;
}

function baseOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address.endsWith('/') ? address : `${address}/`) : undefined;
  const local = url !== undefined && isLoopbackHost(url.hostname);
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && local)))
    throw badDefinition(
      'The "baseUrl" of a model',
      'it must begin with https:, or with http: on this machine, as the key goes there',
    );
  return url;
}

async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_REJECTION) break;
  }
  return text.slice(0, MAX_REJECTION);
}

/** The message of a provider's error, or the whole text if it has none. */
function messageIn(text: string): string {
  const { error } = parseObject(text) ?? {};
  const message = isObject(error) ? error['message'] : error;
  return typeof message === 'string' ? message : text;
}
