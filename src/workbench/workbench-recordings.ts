/** Recordings: records a server's messages to a file, and opens one recording for time travel. */
import { resolve } from 'node:path';
import { badDefinition, messageOf } from '../errors.ts';
import { readFileText } from '../files/read-file.ts';
import { isRequest, isResponse, type Message, type RpcRequest } from '../jsonrpc/message.ts';
import { CANCELLED } from '../model/names.ts';
import { messageSummary, subjectOf } from '../recording/message-summary.ts';
import {
  type CassetteHead,
  type CassetteLine,
  cassetteHead,
  parseCassette,
  type Recording,
} from '../recording/recording.ts';
import { RecordedMoments } from './moment.ts';
import { nameOfRequest } from './name-of-request.ts';
import type { VerbResult } from './protocol.ts';
import { recordingExtensions } from './protocol-rows.ts';
import type { RecordedRow, RecordingInfo } from './protocol-timeline.ts';
import { RecordingFile } from './recording-file.ts';
import type { Workbench } from './workbench.ts';

const MAX_BYTES: number = 256 * 1024 * 1024;

interface OpenRecording {
  readonly info: RecordingInfo;
  readonly recording: Recording;
  readonly moments: RecordedMoments;
  readonly rows: readonly RecordedRow[];
}
interface RunningRecorder {
  readonly file: string;
  messages: number;
  stop(): void;
}

export class WorkbenchRecordings {
  readonly #bench: Workbench;
  readonly #folder: string;
  #open: OpenRecording | undefined;
  #recorder: RunningRecorder | undefined;

  /** Relative file names are resolved from `folder`. */
  constructor(bench: Workbench, folder: string) {
    this.#bench = bench;
    this.#folder = folder;
  }

  get info(): RecordingInfo | undefined {
    return this.#open?.info;
  }

  get recording(): { readonly file: string; readonly messages: number } | undefined {
    return this.#recorder === undefined ? undefined : { file: this.#recorder.file, messages: this.#recorder.messages };
  }

  /** Starts recording to a new file, in place of a running recording; never overwrites an existing file. */
  record(name: string, server: string): void {
    const path = resolve(this.#folder, name);
    if (!recordingExtensions.some((extension) => path.endsWith(extension)))
      throw badDefinition('The recording', `the file name must end with ${recordingExtensions.join(' or ')}`);
    const head = this.#head(server);
    const file = new RecordingFile(path);
    try {
      file.write(head);
    } catch (error) {
      file.close();
      throw badDefinition('The recording', `${path} cannot be written: ${messageOf(error)}`);
    }
    this.stop();
    const since = this.#bench.clock.now();
    const stopListening = this.#bench.onMessage(({ side, message }, label) => {
      if (label !== server) return;
      const line: CassetteLine = { side, ms: Math.round(this.#bench.clock.now() - since), message };
      try {
        file.write(line);
        recorder.messages++;
      } catch (error) {
        // A failed write ends the recording, and never the server's call.
        this.stop();
        this.#bench.options.note(`Recording to ${path} stopped: ${messageOf(error)}`);
      }
    });
    const recorder: RunningRecorder = {
      file: path,
      messages: 0,
      stop: () => {
        stopListening();
        file.close();
      },
    };
    this.#recorder = recorder;
    this.#emitRecording();
  }

  stop(): { readonly file?: string; readonly messages: number } {
    const { file, messages = 0 } = this.recording ?? {};
    this.#recorder?.stop();
    this.#recorder = undefined;
    this.#emitRecording();
    return file === undefined ? { messages } : { file, messages };
  }

  async openFile(name: string): Promise<RecordingInfo> {
    const path = resolve(this.#folder, name);
    const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch((error: unknown) => {
      throw badDefinition('The recording', `${path} cannot be read: ${messageOf(error)}`);
    });
    if (text === undefined) throw badDefinition('The recording', `${path} does not exist`);
    return this.openText(text, name);
  }

  openText(text: string, name: string): RecordingInfo {
    try {
      return this.#setOpen(parseCassette(text), name);
    } catch (error) {
      throw badDefinition(`${name} is not a recording`, messageOf(error));
    }
  }

  /** Opens this session's messages with a server so far. */
  openLive(server: string): RecordingInfo {
    return this.#setOpen({ head: this.#head(server), lines: linesOf(this.#bench, server) }, `${server}, this session`);
  }

  at(line: number): VerbResult<'travel.at'> {
    const { moments, recording } = this.#current();
    const { lines } = recording;
    const count = Math.max(0, Math.min(line, lines.length));
    return { line: count, ms: lines[count - 1]?.ms ?? 0, state: moments.at(count) };
  }

  rows(offset: number, limit: number): VerbResult<'travel.lines'> {
    const { rows, recording } = this.#current();
    const shown = rows
      .slice(offset, offset + limit)
      .map((row) => ({ ...row, what: messageSummary({ ...recording.lines[row.line - 1]?.message }) }));
    return { rows: shown, total: rows.length };
  }

  line(line: number): VerbResult<'travel.line'> {
    const { rows, recording } = this.#current();
    const [row, found] = [rows[line - 1], recording.lines[line - 1]];
    if (row === undefined || found === undefined)
      throw badDefinition(`Message ${line}`, `the recording has ${rows.length} messages`);
    return { row, message: { ...found.message } };
  }

  /** Adds the recording as a server that replays it. Returns its label. */
  serve(): string {
    const { recording, info } = this.#current();
    let label = 'recording';
    for (let at = 2; this.#bench.host.servers.has(label); at++) label = `recording-${at}`;
    this.#bench.servers.add(label, this.#bench.options.replay(recording), info.name);
    return label;
  }

  close(): void {
    this.#open = undefined;
    this.#bench.feed.emit('travelling', {});
  }

  #setOpen(recording: Recording, name: string): RecordingInfo {
    const { head, lines } = recording;
    const info = { name, server: head.server, at: head.at, lines: lines.length, ms: lines.at(-1)?.ms ?? 0 };
    this.#open = { info, recording, moments: new RecordedMoments(lines), rows: recordedRows(lines) };
    this.#bench.feed.emit('travelling', { recording: info });
    return info;
  }

  #current(): OpenRecording {
    if (this.#open === undefined) throw badDefinition('No recording is open', 'open one first');
    return this.#open;
  }

  #head(server: string): CassetteHead {
    return cassetteHead(this.#bench.servers.info(server).address, this.#bench.clock);
  }

  #emitRecording(): void {
    this.#bench.feed.emit('recording', { messages: 0, ...this.recording });
  }
}

/** The messages of a server as lines of a recording, masked. */
export function linesOf(
  { history }: Workbench,
  server: string,
  isWanted: (id: number) => boolean = () => true,
): readonly CassetteLine[] {
  const lines: CassetteLine[] = [];
  let since: number | undefined;
  for (const { id, at, side } of history.messagesOf(server)) {
    if (side === 'http' || !isWanted(id)) continue;
    since ??= at;
    lines.push({ side, ms: at - since, message: JSON.parse(history.text(id)) as Message }); // the history stores messages
  }
  return lines;
}

/** Rows of the list: a response gets the method and subject of its request. */
function recordedRows(lines: readonly CassetteLine[]): readonly RecordedRow[] {
  const open = new Map<string, RpcRequest>();
  return lines.map(({ side, ms, message }, at) => {
    const key = (from: string, id: unknown): string => `${from} ${JSON.stringify(id)}`;
    const isError = 'error' in message || ('result' in message && message.result['isError'] === true);
    if (isRequest(message)) open.set(key(side, message.id), message);
    const named = isResponse(message) ? open.get(key(side === '>' ? '<' : '>', message.id)) : message;
    const kind = isRequest(message) ? 'request' : isResponse(message) ? 'response' : 'notification';
    const cancelled = named?.method === CANCELLED ? open.get(key(side, named.params?.['requestId'])) : undefined;
    const subject =
      cancelled === undefined
        ? named && subjectOf(named)
        : nameOfRequest({ method: cancelled.method, subject: subjectOf(cancelled) });
    return { line: at + 1, ms, side, kind, method: named?.method ?? '', subject, isError };
  });
}
