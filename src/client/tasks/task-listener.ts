/** One stream on which a server reports all the tasks that a client waits for. Another one is opened when there are more. */
import { isObject, type RpcNotification } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, LISTEN } from '../../model/names.ts';
import type { Requests } from '../requests.ts';

/** As many as a server of ours allows; the others are polled. */
const MAX_LISTENED_TASKS = 100;

export interface ListenedTask {
  /** Whether the server reports on it from now on; false also when the stream has ended. */
  listening(isOn: boolean): void;
  notify(notification: RpcNotification): void;
}

export class TaskListener {
  readonly #requests: Requests;
  readonly #tasks: Map<string, ListenedTask> = new Map();
  #stream: AbortController | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Asks the server to report on a task, until the returned function is called. */
  add(taskId: string, task: ListenedTask): () => void {
    if (this.#tasks.size >= MAX_LISTENED_TASKS || this.#tasks.has(taskId)) return () => undefined;
    this.#tasks.set(taskId, task);
    this.#open();
    return () => {
      this.#tasks.delete(taskId);
      if (this.#tasks.size === 0) this.#stream?.abort();
    };
  }

  #open(): void {
    const before = this.#stream;
    const stream = new AbortController();
    this.#stream = stream;
    const notify = (message: RpcNotification): void => {
      if (message.method !== ACKNOWLEDGED) {
        this.#pass(message);
        return;
      }
      before?.abort();
      const granted = isObject(message.params?.['notifications']) ? message.params['notifications']['taskIds'] : [];
      for (const [id, task] of this.#tasks) task.listening(Array.isArray(granted) && granted.includes(id));
    };
    const params = { notifications: { taskIds: [...this.#tasks.keys()] } };
    const ended = (): void => {
      before?.abort();
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      const left = [...this.#tasks.values()];
      this.#tasks.clear();
      for (const task of left) task.listening(false);
    };
    // A server without such streams rejects it, and its tasks are polled.
    this.#requests.send(LISTEN, params, { standing: true, signal: stream.signal, notify }).then(ended, ended);
  }

  #pass(message: RpcNotification): void {
    const id = message.params?.['taskId'];
    if (typeof id === 'string') this.#tasks.get(id)?.notify(message);
  }
}
