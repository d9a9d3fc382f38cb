/** Playing one side of a transcript, and checking that the other side says its lines. */
import { McpError } from '../errors.ts';
import { Duplex } from '../peer/duplex.ts';
import type { Connection, Servable, Transport } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import { duplexPush } from '../transport/duplex-push.ts';
import {
  type Captured,
  difference,
  filledIn,
  renamed,
  type Transcript,
  type TranscriptLine,
  TranscriptMismatch,
  writeTranscript,
} from './transcript.ts';
import { TranscriptPeer, type TranscriptPeerOptions } from './transcript-peer.ts';

/** How long to wait, and whether to write down what came. */
export interface PlayOptions extends TranscriptPeerOptions {
  /** Takes down what is said instead of comparing it. */
  readonly update?: boolean;
}

const over = (): McpError => new McpError('MCP_CLOSED', { why: 'the transcript is over' });

/** Says the client's lines to a server and compares what the server says. Gives the transcript as it was played. */
export async function playServer(transcript: Transcript, server: Servable, options: PlayOptions = {}): Promise<string> {
  const heard = new TranscriptPeer(options);
  const session: PeerSession = {};
  const duplex: Duplex = new Duplex({
    send: (message) => heard.push(message),
    inbound: (message, link) => conversation.exchange(message, link),
    session,
  });
  const conversation = server.open(
    duplexPush(duplex, () => duplex.end(over())),
    session,
  );
  try {
    return await play(transcript, { says: '>', say: (message) => duplex.receive(message), heard, options });
  } finally {
    conversation.close();
    duplex.end(over());
  }
}

/** Says the server's lines to the client that `drive` connects with the transport, and compares what the client says. */
export async function playClient(
  transcript: Transcript,
  drive: (transport: Transport) => Promise<void>,
  options: PlayOptions = {},
): Promise<string> {
  const heard = new TranscriptPeer(options);
  let duplex: Duplex | undefined;
  const transport: Transport = (inbound, session) => {
    if (duplex !== undefined)
      return Promise.reject(new Error('A transcript is one conversation; the client dialled twice'));
    duplex = new Duplex({ send: (message) => heard.push(message), inbound, session });
    return Promise.resolve(lineOn(duplex));
  };
  const driven = drive(transport);
  driven.catch((error: unknown) => heard.fail(error));
  try {
    const played = await play(transcript, { says: '<', say: (message) => duplex?.receive(message), heard, options });
    await driven;
    await heard.nothingMore();
    return played;
  } finally {
    duplex?.end(over());
  }
}

function lineOn(duplex: Duplex): Connection {
  let ended: (reason: undefined) => void = () => undefined;
  const closed = new Promise<undefined>((resolve) => {
    ended = resolve;
  });
  const close = (): Promise<void> => {
    duplex.end(over());
    ended(undefined);
    return Promise.resolve();
  };
  return { exchange: duplex.exchange, close, closed };
}

interface PlayState {
  /** The side that is played; the other one is checked. */
  readonly says: '>' | '<';
  say(message: unknown): void;
  readonly heard: TranscriptPeer;
  readonly options: PlayOptions;
}

async function play(transcript: Transcript, { says, say, heard, options: { update } }: PlayState): Promise<string> {
  const captured: Captured = new Map();
  const played: Omit<TranscriptLine, 'number'>[] = [];
  let said = update === true ? await heard.untilQuiet() : [];
  const other = says === '>' ? '<' : '>';
  const takeDown = (): void => {
    for (const content of said.splice(0)) played.push({ side: other, content });
  };
  for (const [i, line] of transcript.entries()) {
    if (line.side === '#') {
      // A remark on what comes next stands behind everything that came before.
      if (transcript.slice(i).find(({ side }) => side !== '#')?.side !== other) takeDown();
      played.push(line);
    } else if (line.side === says) {
      if (update === true) takeDown();
      else await heard.nothingMore();
      say(filledIn(line.content, captured));
      played.push(line);
      if (update === true) said = await heard.untilQuiet();
    } else if (update !== true) {
      await checkLine(line, heard, captured);
      played.push(line);
    } else if (said.length > 0) {
      played.push({ side: line.side, content: renamed(said.shift(), line.content, captured) });
    }
  }
  takeDown();
  await heard.nothingMore();
  return writeTranscript(played);
}

async function checkLine(
  { number, content }: TranscriptLine,
  heard: TranscriptPeer,
  captured: Captured,
): Promise<void> {
  const actual = await heard.next();
  const at = difference(content, actual, captured);
  if (actual === undefined || at !== undefined) {
    const what = actual === undefined ? 'was not said in time' : `differs at ${at || 'the root'}`;
    throw new TranscriptMismatch(`Line ${number} of the transcript ${what}`, { expected: content, actual });
  }
}
