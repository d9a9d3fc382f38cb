/** The file of a recording that is being written: whole lines alone, also where the disk is full. */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { badDefinition } from '../errors.ts';

export class RecordingFile {
  readonly #file: number;
  readonly #writeBytes: typeof writeBytes;
  #size = 0;

  /** To a new file; what is there is never overwritten. `write` is how bytes get into a file. */
  constructor(path: string, write: typeof writeBytes = writeBytes) {
    this.#file = openFile(path);
    this.#writeBytes = write;
  }

  /** Throws where the line does not fit; what was written before it stays readable. */
  write(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += this.#writeBytes(this.#file, bytes, done);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  close(): void {
    closeSync(this.#file);
  }
}

const writeBytes = (file: number, bytes: Uint8Array, from: number): number => writeSync(file, bytes, from);

function openFile(path: string): number {
  try {
    return openSync(path, 'ax', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // thrown by the file system
    throw badDefinition(
      'The recording',
      code === 'EEXIST' ? `${path} is there already` : `${path} cannot be written (${code})`,
    );
  }
}
