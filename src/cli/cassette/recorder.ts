/** Writes a recording (cassette) while the conversation goes on, with secrets masked. */
import { rm } from 'node:fs/promises';
import { type CassetteLine, cassetteHead } from '../../recording/recording.ts';
import type { Scrubber } from '../../recording/scrub.ts';
import type { TappedMessage } from '../../recording/tap.ts';
import type { Shell } from '../shell.ts';
import type { LineFile } from '../trace/line-file.ts';
import type { TraceListener } from '../trace/observe.ts';

export interface RecorderOptions {
  readonly file: LineFile;
  readonly scrubber: Scrubber;
  readonly server: string;
  readonly shell: Shell;
}

export class Recorder implements TraceListener {
  readonly #options: RecorderOptions;
  readonly #since: number;
  count = 0;

  constructor(options: RecorderOptions) {
    const { file, scrubber, server, shell } = options;
    this.#options = options;
    this.#since = shell.clock.now();
    file.write(JSON.stringify(cassetteHead(scrubber.text(server), shell.clock)));
  }

  get path(): string {
    return this.#options.file.path;
  }

  onMessage({ side, message }: TappedMessage): void {
    const { file, scrubber, shell } = this.#options;
    this.count++;
    const ms = Math.round(shell.clock.now() - this.#since);
    const line: CassetteLine = { side, ms, message: scrubber.message(message) };
    file.write(JSON.stringify(line));
  }

  /** Removes the file if no message was recorded. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.file[Symbol.asyncDispose]();
    if (this.count === 0) await rm(this.path, { force: true });
  }
}
