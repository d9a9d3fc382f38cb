/** Serves the HTTP endpoint with web-standard `Request` and `Response`. */
import type { MessageBody } from '../../jsonrpc/write.ts';
import { checkOptions } from '../../model/check-options.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { checkServable } from '../../peer/check-servable.ts';
import type { Servable } from '../../peer/exchange.ts';
import { type HttpOptions, httpOptionNames } from './http-settings.ts';
import { HttpRejection } from './rejections.ts';
import { HttpService } from './service.ts';
import { type EventSink, type HeaderList, type HttpReply, type HttpView, JSON_TYPE, STREAM_HEADERS } from './view.ts';

export function fetchHandler(server: Servable, options: HttpOptions): (request: Request) => Promise<Response> {
  checkServable('httpHandler', server);
  checkOptions('httpHandler(server, options)', options, httpOptionNames);
  const service = new HttpService(server, options);
  return (request) =>
    new Promise((resolve) => {
      const view = new FetchView(request);
      const reply = new FetchReply(request, resolve);
      if (!service.admission.sendDocument(view, reply)) void service.answer(view, reply);
    });
}

class FetchView implements HttpView {
  readonly method: string;
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
    this.method = request.method;
  }

  get path(): string {
    return new URL(this.#request.url).pathname;
  }

  get query(): string {
    return new URL(this.#request.url).search.slice(1);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some runtimes omit the `Host` header, after they have copied it into the URL.
    return name === 'host' ? new URL(this.#request.url).host : undefined;
  }

  async text(limit: number): Promise<string> {
    if (Number(this.#request.headers.get('content-length') ?? 0) > limit)
      throw new HttpRejection('bodySize', { limit });
    const body = new CollectedBytes();
    try {
      for await (const chunk of this.#request.body ?? []) {
        if (body.size + chunk.length > limit) throw new HttpRejection('bodySize', { limit });
        body.add(chunk);
      }
      return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(body.bytes);
    } catch (thrown) {
      if (thrown instanceof HttpRejection) throw thrown;
      throw new HttpRejection('bodyText', { fault: 'not UTF-8, or the body breaks off' });
    }
  }
}

class FetchReply implements HttpReply {
  commonHeaders: HeaderList | undefined;
  readonly #request: Request;
  readonly #resolve: (response: Response) => void;
  #sink: FetchSink | undefined;
  #gone: (() => void)[] = [];
  #isGone = false;

  constructor(request: Request, resolve: (response: Response) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  send(status: number, headers?: HeaderList): void {
    this.#resolve(new Response(null, { status, headers: { ...this.commonHeaders, ...headers } }));
  }

  sendJson(status: number, body: MessageBody, headers?: HeaderList): void {
    // An error after the stream was opened can only abort the stream.
    this.#sink?.abort('The server failed');
    const sent = typeof body === 'string' ? body : new Blob([body.text, body.rest]);
    this.#resolve(
      new Response(sent, { status, headers: { ...this.commonHeaders, ...headers, 'Content-Type': JSON_TYPE } }),
    );
  }

  stream(headers?: HeaderList): EventSink {
    const sink = new FetchSink(() => this.#lost());
    this.#sink = sink;
    this.#resolve(new Response(sink.readable, { headers: { ...this.commonHeaders, ...headers, ...STREAM_HEADERS } }));
    return sink;
  }

  /** Runtimes signal a disconnect by cancelling the response body, or by `request.signal`. */
  onGone(listener: () => void): void {
    if (this.#isGone || this.#request.signal.aborted) listener();
    else {
      if (this.#gone.length === 0) this.#request.signal.addEventListener('abort', () => this.#lost(), { once: true });
      this.#gone.push(listener);
    }
  }

  #lost(): void {
    this.#isGone = true;
    for (const listener of this.#gone.splice(0)) listener();
  }
}

class FetchSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #encoder: TextEncoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onCancel: () => void) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          onCancel();
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  get queued(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  abort(why = 'The reader is too slow'): void {
    this.#controller?.error(new Error(why));
    this.#controller = undefined;
  }
}
