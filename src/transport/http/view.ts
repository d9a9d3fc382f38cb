/** HTTP as the rules see it: a request to look at and a reply to give. `node.ts` and `fetch.ts` each make their own. */
import { RpcError } from '../../errors.ts';
import { failure, type Id } from '../../jsonrpc/message.ts';

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
  /** The body as text. Rejects with `BodyFault` as soon as it is known to be too large or not to be text. */
  text(limit: number): Promise<string>;
}

export interface Reply {
  send(status: number, headers: HeaderList): void;
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
  cut(): void;
}

/** A body that is not read, or not to its end. */
export class BodyFault extends Error {
  override readonly name = 'BodyFault';
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

export const tooLarge = (limit: number): BodyFault =>
  new BodyFault(413, `A request body holds at most ${limit} bytes (maxBodyBytes)`);

export const JSON_TYPE = 'application/json';

/** An error as the whole answer. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly id?: Id | undefined;
  readonly data?: unknown;
  readonly headers?: HeaderList;
}

export function refuse(reply: Reply, { status, code, message, id, data, headers }: Refusal): void {
  const body = JSON.stringify(failure(id, new RpcError(code, message, data)));
  reply.sendJson(status, body, headers);
}
