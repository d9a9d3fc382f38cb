/** Plays one side of a transcript, and checks that the other side sends its messages. */
import { McpError } from '../errors.ts';
import { checkList, checkMethod } from '../model/check-argument.ts';
import { Duplex } from '../peer/duplex.ts';
import type { Connection, Servable, Transport } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import { Deferred } from '../peer/wait.ts';
import {
  type Captured,
  difference,
  fillIn,
  restoreNames,
  type Transcript,
  type TranscriptLine,
  TranscriptMismatch,
  writeTranscript,
} from './transcript.ts';
import { TranscriptPeer, type TranscriptPeerOptions } from './transcript-peer.ts';

/** How long to wait, and whether to write down what came. */
export interface PlayOptions extends TranscriptPeerOptions {
  /** Records what comes instead of comparing it. */
  readonly update?: boolean;
}

const over = (): McpError => new McpError('MCP_CLOSED', { why: 'the transcript is over' });

/** Sends the client's messages to a server and compares what the server sends. Returns the transcript as it was played. */
export async function playServer(transcript: Transcript, server: Servable, options: PlayOptions = {}): Promise<string> {
  checkList(transcript, 'playServer(transcript, server)', 'a transcript of parseTranscript');
  checkMethod(server, 'open', 'playServer(transcript, server)', 'a server');
  const peer = new TranscriptPeer(options);
  const session: PeerSession = {};
  const duplex: Duplex = new Duplex({
    send: (message) => peer.push(message),
    inbound: (message, link) => conversation.exchange(message, link),
    session,
  });
  const conversation = server.open(
    duplex.push(() => duplex.end(over())),
    session,
  );
  try {
    return await play(transcript, { says: '>', say: (message) => duplex.receive(message), peer, options });
  } finally {
    conversation.close();
    duplex.end(over());
  }
}

/** Sends the server's messages to the client that `drive` connects with the transport, and compares what the client sends. */
export async function playClient(
  transcript: Transcript,
  drive: (transport: Transport) => Promise<void>,
  options: PlayOptions = {},
): Promise<string> {
  checkList(transcript, 'playClient(transcript, drive)', 'a transcript of parseTranscript');
  checkMethod(drive, 'call', 'playClient(transcript, drive)', 'a function that uses the transport');
  const peer = new TranscriptPeer(options);
  let duplex: Duplex | undefined;
  const transport: Transport = (inbound, session) => {
    if (duplex !== undefined)
      return Promise.reject(new Error('A transcript is one conversation; the client connected twice'));
    duplex = new Duplex({ send: (message) => peer.push(message), inbound, session });
    return Promise.resolve(connectionOn(duplex));
  };
  const driven = drive(transport);
  driven.catch((error: unknown) => peer.fail(error));
  try {
    const played = await play(transcript, { says: '<', say: (message) => duplex?.receive(message), peer, options });
    await driven;
    await peer.nothingMore();
    return played;
  } finally {
    duplex?.end(over());
  }
}

function connectionOn(duplex: Duplex): Connection {
  const { promise: closed, resolve: ended } = new Deferred<undefined>();
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
  readonly peer: TranscriptPeer;
  readonly options: PlayOptions;
}

async function play(transcript: Transcript, { says, say, peer, options: { update } }: PlayState): Promise<string> {
  const captured: Captured = new Map();
  const played: Omit<TranscriptLine, 'number'>[] = [];
  let received = update === true ? await peer.untilQuiet() : [];
  const other = says === '>' ? '<' : '>';
  const flush = (): void => {
    for (const content of received.splice(0)) played.push({ side: other, content });
  };
  for (const [i, line] of transcript.entries()) {
    if (line.side === '#') {
      // A remark on what comes next is written behind everything that came before.
      if (transcript.slice(i).find(({ side }) => side !== '#')?.side !== other) flush();
      played.push(line);
    } else if (line.side === says) {
      if (update === true) flush();
      else await peer.nothingMore();
      say(fillIn(line.content, captured));
      played.push(line);
      if (update === true) received = await peer.untilQuiet();
    } else if (update !== true) {
      await checkLine(line, peer, captured);
      played.push(line);
    } else if (received.length > 0) {
      played.push({ side: line.side, content: restoreNames(received.shift(), line.content, captured) });
    }
  }
  flush();
  await peer.nothingMore();
  return writeTranscript(played);
}

async function checkLine({ number, content }: TranscriptLine, peer: TranscriptPeer, captured: Captured): Promise<void> {
  const actual = await peer.next();
  const at = difference(content, actual, captured);
  if (actual === undefined || at !== undefined) {
    const what = actual === undefined ? 'did not come in time' : `differs at ${at || 'the root'}`;
    throw new TranscriptMismatch(`Line ${number} of the transcript ${what}`, { expected: content, actual });
  }
}
