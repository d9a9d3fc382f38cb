/**
 * Parses cassettes: conversations that `mooring record` and others recorded, as JSON lines. The first line is the head, each other line
 * a message with secrets masked. A truncated cassette is valid if it ends at a line end.
 */
import { isObject, type Message } from '../jsonrpc/message.ts';
import { faultOf } from '../jsonrpc/read.ts';
import { MASK } from '../model/secrets.ts';
import type { Clock } from '../peer/clock.ts';

export interface CassetteHead {
  readonly cassette: 1;
  /** The URL or command of the server. */
  readonly server: string;
  /** The time of the recording, as ISO 8601. */
  readonly at: string;
  /** The placeholder for masked secrets. */
  readonly mask: string;
}

/** The head of a recording that starts now. */
export const cassetteHead = (server: string, clock: Clock): CassetteHead => ({
  ...{ cassette: 1, server, at: new Date(clock.wall()).toISOString(), mask: MASK },
});

export interface CassetteLine {
  /** The sender: `>` is the client, `<` the server. */
  readonly side: '>' | '<';
  /** Milliseconds since the start of the recording. */
  readonly ms: number;
  readonly message: Message;
}

export interface Recording {
  readonly head: CassetteHead;
  readonly lines: readonly CassetteLine[];
}

/** Parses a cassette. Throws an error that names the invalid line. */
export function parseCassette(text: string): Recording {
  const [first = '', ...rest] = text.split('\n');
  const head = parseJson(first, 1);
  if (!isHead(head)) throw new Error('line 1: expected {"cassette":1,"server":…,"at":…,"mask":…}');
  const lines = rest.flatMap((line, at) =>
    line.trim() === '' ? [] : [toCassetteLine(parseJson(line, at + 2), at + 2)],
  );
  return { head, lines };
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new Error(`line ${number}: not JSON`);
  }
}

const isHead = (value: unknown): value is CassetteHead =>
  isObject(value) &&
  value['cassette'] === 1 &&
  ['server', 'at', 'mask'].every((key) => typeof value[key] === 'string' && value[key] !== '');

function toCassetteLine(value: unknown, number: number): CassetteLine {
  const { side, ms, message } = isObject(value) ? value : {};
  if (side !== '>' && side !== '<') throw new Error(`line ${number}: expected a "side" of ">" or "<"`);
  if (typeof ms !== 'number') throw new Error(`line ${number}: expected "ms" to be a number`);
  const fault = faultOf(message);
  if (fault !== undefined) throw new Error(`line ${number}: ${fault}`);
  return { side, ms, message: message as Message }; // faultOf found no fault
}
