/** Reads one answer within its limits: a JSON text, a stream of events, nothing at all, or a refusal. */
import { McpError } from '../../errors.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Refusal } from './refusal.ts';
import type { Receiver, Sender, Sent } from './sender.ts';
import { type SseEvent, SseParser } from './sse-parser.ts';
import type { WireCall } from './wire.ts';

/** As much of a refusal as is read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface ReplyHandler {
  /** What is wanted: an answer in either form, a stream, or just to be heard. */
  readonly wants: 'answer' | 'stream' | 'nothing';
  /** It is a success. */
  succeeded?(header: (name: string) => string | undefined): void;
  json(text: string): void;
  opened?(events: SseParser): void;
  event(event: SseEvent): void;
  /** A success without content. */
  accepted(): void;
  refused(refusal: Refusal): void;
  /** The end of a stream. */
  ended(): void;
  /** It could not be read to its end. */
  failed(error: McpError): void;
}

/** Sends a request and hands its answer over. */
export function exchangeHttp(sender: Sender, request: Sent, handler: ReplyHandler): WireCall {
  const reply = new ResponseReader(handler, sender, request);
  const call = sender.send(request, reply);
  reply.call = call;
  return call;
}

/** Never told that more is to come, so that nothing of one text is left in it for the next. */
const whole = new TextDecoder('utf-8', { ignoreBOM: true });

class ResponseReader implements Receiver {
  readonly #handler: ReplyHandler;
  readonly #sender: Sender;
  readonly #request: Sent;
  call: WireCall | undefined;
  #as: 'unknown' | 'json' | 'events' | 'refusal' | 'nothing' = 'unknown';
  #chunks: Uint8Array[] = [];
  #size = 0;
  #parser: SseParser | undefined;
  #decoder: TextDecoder | undefined;
  #refusal: Omit<Refusal, 'text'> | undefined;
  #over = false;

  constructor(handler: ReplyHandler, sender: Sender, request: Sent) {
    this.#handler = handler;
    this.#sender = sender;
    this.#request = request;
  }

  head(status: number, header: (name: string) => string | undefined): void {
    if (status >= 300) {
      this.#as = 'refusal';
      this.#refusal = { status, header };
      return;
    }
    const { wants } = this.#handler;
    this.#handler.succeeded?.(header);
    const type = wants === 'nothing' || status === 202 || status === 204 ? undefined : essence(header('content-type'));
    if (type === 'application/json' && wants === 'answer') this.#as = 'json';
    else if (type === 'text/event-stream') this.#listen();
    else if (wants === 'nothing' || status === 202 || status === 204) {
      this.#as = 'nothing';
      this.#handler.accepted();
    } else this.#unexpected(type, wants);
  }

  data(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#as === 'events') this.#feed(chunk);
    else {
      this.#size += chunk.length;
      if (this.#as !== 'nothing') this.#chunks.push(chunk);
      if (this.#size > (this.#as === 'json' ? this.#max : MAX_REFUSAL_BYTES)) this.#tooMuch();
    }
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#as === 'events') this.#handler.ended();
    else if (this.#as === 'json') this.#json();
    else if (this.#as === 'refusal') this.#refused();
  }

  fail(error: McpError): void {
    if (this.#over) return;
    this.#over = true;
    // What was refused is refused, even if the reason broke off.
    if (this.#as === 'refusal') this.#refused();
    else if (this.#as !== 'nothing') this.#handler.failed(error);
  }

  get #url(): URL {
    return this.#request.url ?? this.#sender.settings.url;
  }

  get #max(): number {
    return this.#sender.settings.maxAnswerBytes;
  }

  #listen(): void {
    this.#as = 'events';
    this.#parser = new SseParser({ onEvent: (event) => this.#handler.event(event), maxLength: this.#max });
    this.#handler.opened?.(this.#parser);
  }

  #feed(chunk: Uint8Array): void {
    try {
      this.#parser?.push(this.#textOf(chunk));
    } catch (error) {
      this.#stop(error instanceof McpError ? error : this.#malformed('its stream cannot be read', error));
    }
  }

  /** A piece that ends in ASCII cuts no character in two. That is the rule, and is read in a sixth of the time. */
  #textOf(chunk: Uint8Array): string {
    if (this.#decoder === undefined && (chunk.at(-1) ?? 0) < 0x80) return whole.decode(chunk);
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(chunk, { stream: true });
  }

  #json(): void {
    const [first = new Uint8Array()] = this.#chunks;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(this.#chunks.length === 1 ? first : joined(this.#chunks));
    } catch (error) {
      this.#handler.failed(this.#malformed('it is not UTF-8', error));
      return;
    }
    this.#handler.json(text);
  }

  #refused(): void {
    const text = new TextDecoder().decode(joined(this.#chunks).subarray(0, MAX_REFUSAL_BYTES));
    if (this.#refusal !== undefined) this.#handler.refused({ ...this.#refusal, text });
  }

  #tooMuch(): void {
    if (this.#as === 'json') {
      const what = `The answer of ${displayUrl(this.#url)} to ${this.#request.what}`;
      this.#stop(new McpError('MCP_TOO_LARGE', { what, limit: this.#max, setting: 'maxAnswerBytes' }));
    } else {
      this.#over = true;
      this.call?.hangUp();
      if (this.#as === 'refusal') this.#refused();
    }
  }

  #unexpected(type: string | undefined, wants: 'answer' | 'stream'): void {
    const got = type === undefined || type === '' ? 'without a Content-Type' : `as ${type}`;
    const expected = wants === 'stream' ? 'text/event-stream' : 'application/json or text/event-stream';
    const why = `it answered ${got}, expected ${expected}`;
    this.#stop(new McpError('MCP_HTTP_UNEXPECTED', { url: displayUrl(this.#url), method: this.#request.what, why }));
  }

  #malformed(why: string, cause: unknown): McpError {
    return new McpError('MCP_BAD_RESULT', { method: this.#request.what, why }, { cause });
  }

  #stop(error: McpError): void {
    this.#over = true;
    this.call?.hangUp();
    this.#handler.failed(error);
  }
}

/** The media type alone, whatever parameters it has. */
function essence(type: string | undefined): string | undefined {
  if (type === 'application/json' || type === 'text/event-stream') return type;
  return type?.split(';', 1)[0]?.trim().toLowerCase();
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
