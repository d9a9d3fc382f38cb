/** A conversation that was recorded with `mooring record`, as a server for tests. */
import { checkMethod } from '../model/check-argument.ts';
import type { Servable } from '../peer/exchange.ts';
import { parseCassette } from '../recording/recording.ts';
import { replayRecording } from './replay.ts';

/**
 * A server that answers as the recorded one did, from the text of a cassette. Requests are found by method and params;
 * one that was never recorded is rejected, with the nearest that was. Throws when the text is not a cassette.
 */
export function cassette(text: string): Servable {
  checkMethod(text, 'split', 'cassette(text)', 'the text of a recording');
  return replayRecording(parseCassette(text));
}
