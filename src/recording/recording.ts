/**
 * Conversations that were recorded, by `mooring record` for one: a line of JSON for each message, after a line that says what
 * this is. Secrets are masked, and every beginning of a cassette is one.
 */
import { isObject, type Message } from '../jsonrpc/message.ts';
import { faultOf } from '../jsonrpc/read.ts';
import { MASK } from '../model/secrets.ts';
import type { Clock } from '../peer/clock.ts';

export interface CassetteHead {
  readonly cassette: 1;
  /** What was recorded: a URL, or a command. */
  readonly server: string;
  /** When, as ISO 8601. */
  readonly at: string;
  /** What stands where a secret was. */
  readonly mask: string;
}

/** Of what begins now. */
export const cassetteHead = (server: string, clock: Clock): CassetteHead => ({
  ...{ cassette: 1, server, at: new Date(clock.wall()).toISOString(), mask: MASK },
});

export interface CassetteLine {
  /** `>` the client, `<` the server. */
  readonly side: '>' | '<';
  /** Milliseconds since the beginning. */
  readonly ms: number;
  readonly message: Message;
}

export interface Recording {
  readonly head: CassetteHead;
  readonly lines: readonly CassetteLine[];
}

/** Throws an error that names the line. */
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
  return { side, ms, message: message as Message }; // it has the shape of one
}
