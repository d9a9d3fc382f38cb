/** Subscribes to reports on all tasks that a client waits for, on one stream. Reopens the stream when a task is added. */
import { isObject, type RpcNotification } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, LISTEN } from '../../model/names.ts';
import type { Requests } from '../requests.ts';

/** The limit of Mooring's own server per stream. Tasks beyond it are polled. */
const MAX_LISTENED_TASKS = 100;

export interface ListenedTask {
  /** Called with true when the server reports on this task, and with false when it does not, or the stream has ended. */
  setListening(isListening: boolean): void;
  notify(notification: RpcNotification): void;
}

export class TaskListener {
  readonly #requests: Requests;
  readonly #tasks: Map<string, ListenedTask> = new Map();
  #stream: AbortController | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Subscribes to a task, until the returned function is called. */
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
        this.#forward(message);
        return;
      }
      before?.abort();
      const granted = isObject(message.params?.['notifications']) ? message.params['notifications']['taskIds'] : [];
      for (const [id, task] of this.#tasks) task.setListening(Array.isArray(granted) && granted.includes(id));
    };
    const params = { notifications: { taskIds: [...this.#tasks.keys()] } };
    const ended = (): void => {
      before?.abort();
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      const left = [...this.#tasks.values()];
      this.#tasks.clear();
      for (const task of left) task.setListening(false);
    };
    // Servers without such streams reject the request; the tasks are then polled.
    this.#requests.send(LISTEN, params, { standing: true, signal: stream.signal, notify }).then(ended, ended);
  }

  #forward(message: RpcNotification): void {
    const id = message.params?.['taskId'];
    if (typeof id === 'string') this.#tasks.get(id)?.notify(message);
  }
}
