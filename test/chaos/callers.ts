/** Callers of both eras. Each call has a unique key, so that the checker can match results with effects. */
import { type Client, connect } from '../../src/connect/index.ts';
import { RawSession } from './raw-session.ts';

/** One call, as its caller saw it. */
export interface CallNote {
  readonly key: string;
  readonly caller: string;
  readonly tool: string;
  readonly began: number;
  readonly ended: number;
  /** The text of the result; undefined after an error. */
  readonly text?: string | undefined;
  readonly error?: string | undefined;
  /** The values of progress notifications, in order. */
  readonly progress: readonly number[];
  /** Whether a progress notification arrived after the result. */
  readonly wasLate: boolean;
}

export interface CallerNotes {
  readonly calls: CallNote[];
  /** Questions by their text. */
  readonly questions: Map<string, number>;
  /** Times at which a session was answered with 404. */
  readonly lostSessions: number[];
}

export interface CallerPlan {
  readonly url: string;
  readonly revision: string;
  readonly tools: readonly string[];
}

/** The message of an error with the messages of its causes. */
function describeError(thrown: unknown): string {
  const said: string[] = [];
  for (let one = thrown; one !== undefined && said.length < 4; one = one instanceof Error ? one.cause : undefined)
    said.push(String(one).slice(0, 160));
  return said.join(', because ');
}

const now = (): number => performance.now();
const CALL_MS = 15_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export class ChaosCallers {
  readonly notes: CallerNotes = { calls: [], questions: new Map(), lostSessions: [] };
  #keys = 0;
  #isOver = false;
  readonly #running: Promise<void>[] = [];

  /** Calls until `stop`. */
  start({ url, revision, tools }: CallerPlan, count: number): void {
    for (let i = 0; i < count; i++) this.#running.push(this.#run(url, revision, tools, i));
  }

  /** Raw requests with one session each: a client would silently open a new session. */
  startSessions(url: string, tool: string, count: number): void {
    for (let i = 0; i < count; i++) this.#running.push(this.#runSession(url, tool));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #run(url: string, revision: string, tools: readonly string[], index: number): Promise<void> {
    let client: Client | undefined;
    const elicit = ({ message }: { readonly message: string }) => {
      const { questions } = this.notes;
      questions.set(message, (questions.get(message) ?? 0) + 1);
      return { action: 'accept' as const, content: { confirm: true } };
    };
    for (let n = index; !this.#isOver; n++) {
      try {
        client ??= await connect(url, { revisions: [revision], elicit, timeoutMs: CALL_MS });
      } catch {
        await pause(100);
        continue;
      }
      await this.#call(client, revision, tools[n % tools.length] ?? '');
      await pause(5 + Math.random() * 20);
    }
    await client?.close().catch(() => undefined);
  }

  async #call(client: Client, revision: string, tool: string): Promise<void> {
    const key = `${tool}-${++this.#keys}`;
    const progress: number[] = [];
    let isDone = false;
    let wasLate = false;
    const began = now();
    const onProgress = ({ progress: number }: { readonly progress: number }): void => {
      progress.push(number);
      wasLate ||= isDone;
    };
    const note = { key, caller: revision, tool, began, progress };
    try {
      const { text } = await client.call(tool, { key }, { onProgress });
      isDone = true;
      this.notes.calls.push({ ...note, ended: now(), text, wasLate });
    } catch (thrown) {
      this.notes.calls.push({ ...note, ended: now(), error: describeError(thrown), wasLate });
    }
  }

  async #runSession(url: string, tool: string): Promise<void> {
    let session: RawSession | undefined;
    while (!this.#isOver) {
      try {
        session ??= await RawSession.open(url);
        const key = `raw-${++this.#keys}`;
        const began = now();
        const { status, text } = await session.call(tool, key);
        const note = { key, caller: 'raw', tool, began, ended: now(), progress: [], wasLate: false };
        if (status === 404) {
          this.notes.lostSessions.push(began);
          session = undefined;
        }
        this.notes.calls.push(status === 200 ? { ...note, text } : { ...note, error: `status ${status}` });
      } catch (thrown) {
        // The connection broke, so the request is sent again.
        void thrown;
      }
      await pause(30);
    }
  }
}
