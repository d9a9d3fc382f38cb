/** An append-only store of message texts: the newest in a buffer, the rest in a temporary file that is already unlinked. */
import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Size of the write buffer. */
const MAX_TAIL_BYTES: number = 256 * 1024;
/** Bytes per read when all texts are searched. */
const SCAN_BYTES: number = 512 * 1024;
/** Returned for a text that could not be written. */
const LOST = '{"lost":"not stored: the temporary folder was full"}';

export class MessageStore {
  /** The byte offset of each text; it ends at the offset of the next one. */
  readonly #starts: number[] = [];
  #end = 0;
  readonly #tail: Buffer = Buffer.alloc(MAX_TAIL_BYTES);
  #tailBytes = 0;
  /** Bytes that are in the file. */
  #written = 0;
  #file: number | undefined;
  #folder: string | undefined;
  /** A write failed. The gap reads as zero bytes, which JSON never contains. */
  #hasLost = false;

  get size(): number {
    return this.#starts.length;
  }

  /** Returns the index of the text, from 0. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    this.#starts.push(this.#end);
    this.#end += length;
    if (this.#tailBytes + length > MAX_TAIL_BYTES) this.#flush();
    if (length > MAX_TAIL_BYTES) this.#write(Buffer.from(text));
    else this.#tailBytes += this.#tail.write(text, this.#tailBytes);
    return this.#starts.length - 1;
  }

  get(place: number): string {
    return this.#textOf(this.#bytes(place, place + 1));
  }

  /** Visits all texts from index `from`. */
  scan(from: number, visit: (text: string, place: number) => void): void {
    for (let first = from; first < this.#starts.length; ) {
      let last = first + 1;
      while (last < this.#starts.length && this.#start(last) - this.#start(first) < SCAN_BYTES) last++;
      const bytes = this.#bytes(first, last);
      const base = this.#start(first);
      for (let place = first; place < last; place++)
        visit(this.#textOf(bytes.subarray(this.#start(place) - base, this.#start(place + 1) - base)), place);
      first = last;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#file = undefined;
    this.#folder = undefined;
  }

  #textOf(bytes: Buffer): string {
    return this.#hasLost && bytes.includes(0) ? LOST : bytes.toString('utf8');
  }

  #start(place: number): number {
    return this.#starts[place] ?? this.#end;
  }

  #bytes(first: number, last: number): Buffer {
    const [start, end] = [this.#start(first), this.#start(last)];
    if (end > this.#written) this.#flush();
    const bytes = Buffer.alloc(end - start);
    if (this.#file !== undefined && bytes.length > 0) readSync(this.#file, bytes, 0, bytes.length, start);
    return bytes;
  }

  #flush(): void {
    this.#write(this.#tail.subarray(0, this.#tailBytes));
    this.#tailBytes = 0;
  }

  #write(bytes: Buffer): void {
    try {
      this.#file ??= this.#open();
      const count = writeSync(this.#file, bytes, 0, bytes.length, this.#written);
      this.#hasLost ||= count < bytes.length;
    } catch {
      // A full disk must not fail the server's call. `#written` still advances, so later texts keep their offsets.
      this.#hasLost = true;
    }
    this.#written += bytes.length;
  }

  /** Only this user can read the file. It is unlinked at once, if the system allows that, so a crash leaves nothing behind. */
  #open(): number {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-workbench-'));
    const file = openSync(join(folder, 'messages'), 'wx+', 0o600);
    try {
      rmSync(folder, { recursive: true });
    } catch {
      this.#folder = folder;
    }
    return file;
  }
}
