/** `playServer` and `playClient`: play one side of a transcript, and compare the messages of the other side. */
import { McpError } from '../errors.ts';
import { checkList, checkMethod } from '../model/check-argument.ts';
import { Duplex } from '../peer/duplex.ts';
import type { Connection, Servable, Transport } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import { Deferred } from '../peer/wait.ts';
import {
  type Captured,
  fillIn,
  findDifference,
  restoreNames,
  type Transcript,
  type TranscriptLine,
  TranscriptMismatch,
  writeTranscript,
} from './transcript.ts';
import { TranscriptPeer, type TranscriptPeerOptions } from './transcript-peer.ts';

/** Settings of `playServer` and `playClient`. */
export interface PlayOptions extends TranscriptPeerOptions {
  /** Records the received messages into the returned transcript, instead of comparing them. */
  readonly update?: boolean;
}

const closedError = (): McpError => new McpError('MCP_CLOSED', { why: 'the transcript is over' });

/** Sends the client's messages of a transcript to a server, and compares the messages of the server. Returns the played transcript. */
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
    duplex.push(() => duplex.end(closedError())),
    session,
  );
  try {
    return await play(transcript, { plays: '>', send: (message) => duplex.receive(message), peer, options });
  } finally {
    conversation.close();
    duplex.end(closedError());
  }
}

/** Sends the server's messages of a transcript to the client that `drive` connects with the transport, and compares the messages of the client. */
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
    const played = await play(transcript, { plays: '<', send: (message) => duplex?.receive(message), peer, options });
    await driven;
    await peer.expectNoMore();
    return played;
  } finally {
    duplex?.end(closedError());
  }
}

function connectionOn(duplex: Duplex): Connection {
  const { promise: closed, resolve } = new Deferred<undefined>();
  const close = (): Promise<void> => {
    duplex.end(closedError());
    resolve(undefined);
    return Promise.resolve();
  };
  return { exchange: duplex.exchange, close, closed };
}

interface PlayState {
  /** The side that is played; the other side is checked. */
  readonly plays: '>' | '<';
  send(message: unknown): void;
  readonly peer: TranscriptPeer;
  readonly options: PlayOptions;
}

async function play(transcript: Transcript, { plays, send, peer, options: { update } }: PlayState): Promise<string> {
  const captured: Captured = new Map();
  const played: Omit<TranscriptLine, 'number'>[] = [];
  let received = update === true ? await peer.untilQuiet() : [];
  const other = plays === '>' ? '<' : '>';
  const flush = (): void => {
    for (const content of received.splice(0)) played.push({ side: other, content });
  };
  for (const [i, line] of transcript.entries()) {
    if (line.side === '#') {
      // Writes the messages that were received so far first, unless the comment is about one of them.
      if (transcript.slice(i).find(({ side }) => side !== '#')?.side !== other) flush();
      played.push(line);
    } else if (line.side === plays) {
      if (update === true) flush();
      else await peer.expectNoMore();
      send(fillIn(line.content, captured));
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
  await peer.expectNoMore();
  return writeTranscript(played);
}

async function checkLine({ number, content }: TranscriptLine, peer: TranscriptPeer, captured: Captured): Promise<void> {
  const actual = await peer.next();
  const at = findDifference(content, actual, captured);
  if (actual === undefined || at !== undefined) {
    const what = actual === undefined ? 'did not come in time' : `differs at ${at || 'the root'}`;
    throw new TranscriptMismatch(`Line ${number} of the transcript ${what}`, { expected: content, actual });
  }
}
