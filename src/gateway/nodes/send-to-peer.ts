/** Sends one message to another node and reads the events of the response. */
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { SseParser } from '../../transport/http-client/sse-parser.ts';
import type { PeerEnvelopes } from './peer-envelope.ts';
import { BUSY_STATUS, MAX_ENVELOPE_BYTES } from './peer-listener.ts';

/** A node that takes longer to accept a message counts as dead, for example a paused process. */
const ACCEPT_MS = 3_000;

export interface PeerMessage {
  readonly address: string;
  readonly sealed: string;
  readonly nonce: string;
  readonly agent: Agent;
  readonly clock: Clock;
  onEvent(event: JsonObject): void;
}

/** `busy`: the node did nothing with the message. `lost`: it is dead, or died before its response was complete. */
export type PeerMessageEnd = 'answered' | 'busy' | 'lost';

export interface SentPeerMessage {
  /** Never rejects. */
  readonly ended: Promise<PeerMessageEnd>;
  /** Stops reading the response. */
  abort(): void;
}

export function sendToPeer(message: PeerMessage, envelopes: PeerEnvelopes): SentPeerMessage {
  const { address, sealed, nonce, agent, clock, onEvent } = message;
  let outgoing: ClientRequest | undefined;
  let isAborted = false;
  const ended = new Promise<PeerMessageEnd>((resolve) => {
    const send = (): void => {
      const sent = request(new URL('/peer', address), { method: 'POST', agent });
      outgoing = sent;
      const stop = clock.after(ACCEPT_MS, () => sent.destroy(new Error('The node does not answer')), { idle: true });
      sent.once('error', (error) => {
        // The peer can close an idle keep-alive connection just now. Resending is safe, because a nonce is accepted once.
        const isKept = sent.reusedSocket && 'code' in error && !isAborted;
        if (isKept) send();
        else resolve('lost');
      });
      sent.once('close', stop);
      sent.once('response', (response) => {
        stop();
        if (response.statusCode !== 200) {
          response.resume();
          resolve(response.statusCode === BUSY_STATUS ? 'busy' : 'lost');
        } else
          readEvents(response, (text, number) => {
            const event = envelopes.openEvent(text, nonce, number);
            if (event === undefined) throw new Error('An event of another node cannot be decrypted');
            onEvent(event);
          }).then(resolve, () => {
            response.destroy();
            resolve('lost');
          });
      });
      sent.end(sealed, 'latin1');
    };
    send();
  });
  const abort = (): void => {
    isAborted = true;
    outgoing?.destroy();
  };
  return { ended, abort };
}

async function readEvents(
  response: IncomingMessage,
  onText: (text: string, number: number) => void,
): Promise<PeerMessageEnd> {
  let number = 0;
  const parser = new SseParser(({ data }) => onText(data, number++), MAX_ENVELOPE_BYTES);
  response.setEncoding('latin1');
  for await (const chunk of response as AsyncIterable<string>) parser.push(chunk);
  return response.complete ? 'answered' : 'lost';
}
