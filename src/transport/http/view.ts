/** HTTP as the rules see it: a request to look at and a reply to give. `node.ts` and `fetch.ts` each make their own. */

export type HeaderList = Readonly<Record<string, string>>;

export interface HttpView {
  readonly method: string;
  /** Without the query; looked for only when somebody asks. */
  readonly path: string;
  /** What follows the path, without the `?`. */
  readonly query?: string | undefined;
  /** Where the connection comes from; undefined where that is not to be known. */
  readonly address?: string | undefined;
  /** A field by its name in lower case. A field that came more than once is joined with commas, and so fits nothing. */
  header(name: string): string | undefined;
  /** The body, if somebody in front of us has read and parsed it. */
  readonly parsed?: unknown;
  /** The body as text. Throws an `HttpRejection` as soon as it is known to be too large or not to be text. */
  text(limit: number): Promise<string>;
}

export interface HttpReply {
  /** Sent with the response, whatever it will be: what browsers must be told. */
  commonHeaders: HeaderList | undefined;
  send(status: number, headers?: HeaderList): void;
  /** The whole answer, with its type and length. */
  sendJson(status: number, body: string, headers?: HeaderList): void;
  stream(status: number, headers: HeaderList): EventSink;
  /** Calls back when the other side is gone before everything was said; at once if it is gone already. */
  onGone(listener: () => void): void;
}

export interface EventSink {
  /** Takes text to send. What is written in one turn leaves together. */
  write(text: string): void;
  /** Bytes of earlier turns that wait for the reader. */
  readonly queued: number;
  /** After the last event. */
  end(): void;
  /** Now, whatever has not been read. */
  abort(): void;
}

export const JSON_TYPE = 'application/json';
