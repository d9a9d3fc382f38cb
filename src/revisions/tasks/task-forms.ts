/** Loads the encoding of tasks per revision. Cached, because a dynamic import costs as much as a small request. */
import type { Revision } from '../contract.ts';
import type { TaskForm } from './form.ts';

export class TaskForms {
  readonly #loaded: Map<string, TaskForm> = new Map();

  /** Undefined if the revision has no tasks. */
  find(revision: Revision): TaskForm | Promise<TaskForm> | undefined {
    return this.#loaded.get(revision.id) ?? this.#load(revision);
  }

  #load({ id, tasks }: Revision): Promise<TaskForm> | undefined {
    return tasks?.load().then((form) => {
      this.#loaded.set(id, form);
      return form;
    });
  }
}
