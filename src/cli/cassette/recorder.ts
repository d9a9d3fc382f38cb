/** Writes a recording (cassette) while the conversation goes on, with secrets masked. */
import { rm } from 'node:fs/promises';
import { type CassetteLine, cassetteHead } from '../../recording/recording.ts';
import type { Scrubber } from '../../recording/scrub.ts';
import type { Shell } from '../shell.ts';
import type { LineFile } from '../trace/line-file.ts';
import type { TraceListener } from '../trace/observe.ts';

export interface Recorder extends TraceListener {
  /** The number of recorded messages. Without any, the file is removed at the end. */
  readonly count: number;
  readonly path: string;
}

export function recordTo(file: LineFile, server: string, scrubber: Scrubber, { clock }: Shell): Recorder {
  const since = clock.now();
  let count = 0;
  file.write(JSON.stringify(cassetteHead(scrubber.text(server), clock)));
  return {
    path: file.path,
    get count() {
      return count;
    },
    onMessage({ side, message }) {
      count++;
      const line: CassetteLine = { side, ms: Math.round(clock.now() - since), message: scrubber.message(message) };
      file.write(JSON.stringify(line));
    },
    async [Symbol.asyncDispose]() {
      await file[Symbol.asyncDispose]();
      if (count === 0) await rm(file.path, { force: true });
    },
  };
}
