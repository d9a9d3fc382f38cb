/** A change notification for a thousand subscribers. */
import { only, withoutSessions } from '../contenders.ts';
import type { HttpCaller } from '../load/http-caller.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import type { Subject } from '../subject.ts';
import { listen } from '../wire.ts';

const SUBSCRIBERS = 1_000;
/** Connections that are opened in parallel. */
const TOGETHER = 50;
const NEWS = 'notifications/tools/list_changed';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** A server and its subscribers, which count notifications. */
export class Listeners implements AsyncDisposable {
  readonly #subject: HttpSubject;
  readonly process: Subject;
  readonly #callers: HttpCaller[] = [];
  #acknowledged = 0;
  #heard = 0;
  #changed: () => void = () => undefined;

  constructor(subject: HttpSubject) {
    this.#subject = subject;
    this.process = subject.process;
  }

  /** Opens streams until there are `total`. */
  async grow(total: number): Promise<void> {
    while (this.#callers.length < total) {
      const missing = Math.min(TOGETHER, total - this.#callers.length);
      const callers = await Promise.all(Array.from({ length: missing }, () => this.#subject.caller()));
      for (const caller of callers) caller.open(listen, (text) => this.#hear(text));
      this.#callers.push(...callers);
    }
    await this.#until(() => this.#acknowledged === total);
  }

  /** Processor time per notification, with one change after the other. */
  async measure(ms: number): Promise<Sample> {
    const { process } = this;
    const total = this.#callers.length;
    const before = await process.usage();
    const until = performance.now() + ms;
    let sent = 0;
    do {
      const expected = this.#heard + total;
      await process.ask('announce');
      await this.#until(() => this.#heard >= expected);
      sent += total;
    } while (performance.now() < until);
    return { cost: ((await process.usage()) - before) / sent };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const caller of this.#callers) caller[Symbol.dispose]();
    await this.#subject[Symbol.asyncDispose]();
  }

  #hear(text: string): void {
    this.#acknowledged += text.split(ACKNOWLEDGED).length - 1;
    this.#heard += text.split(NEWS).length - 1;
    this.#changed();
  }

  #until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = () => {
        if (done()) resolve();
      };
      this.#changed();
    });
  }
}

export const fanOut: AnyScenario = scenario({
  id: 'listen',
  title: 'Change notifications for 1,000 subscribers',
  about: 'Adds or removes a tool; 1,000 subscriptions/listen streams are notified. Cost per notification.',
  rows: [{ id: 'news', title: 'one notification', unit: 'CPU µs', measure: (one, ms) => one.measure(ms) }],
  contenders: only(withoutSessions, 'limit', 'Mooring', 'official v2', 'tmcp').map((entry) => ({
    name: entry.name,
    async open() {
      const listeners = new Listeners(await HttpSubject.start(entry));
      await listeners.grow(SUBSCRIBERS);
      return listeners;
    },
  })),
  without: {
    'official v1': 'no subscriptions/listen',
    fastmcp: 'no subscriptions/listen',
    'mcp-lite': 'no subscriptions/listen',
  },
});
