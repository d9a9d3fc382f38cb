/** `cassette(text)`: serves a recording of `mooring record` as a server, for tests. */
import { checkMethod } from '../model/check-argument.ts';
import type { Servable } from '../peer/exchange.ts';
import { parseCassette } from '../recording/recording.ts';
import { replayRecording } from './replay.ts';

/**
 * Creates a server that replays the recorded responses. Requests are matched by method and params. A request that was not recorded is
 * rejected, with the most similar recorded one in the error. Throws if the text is not a recording.
 */
export function cassette(text: string): Servable {
  checkMethod(text, 'split', 'cassette(text)', 'the text of a recording');
  return replayRecording(parseCassette(text));
}
