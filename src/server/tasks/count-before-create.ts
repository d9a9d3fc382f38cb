/**
 * Enforces limits for a store that leaves them to the server: this process counts before it creates. Concurrent calls in this process
 * cannot exceed the limit of their caller; processes that create at the same time can.
 */
import type { StoredTask, TaskLimits, TaskStore } from '../../model/task-record.ts';

export function countBeforeCreate({ create, count }: Pick<TaskStore, 'create' | 'count'>): TaskStore['create'] {
  /** Pending creations by owner, which the store does not count yet. */
  const underWay = new Map<string, Set<Promise<unknown>>>();

  async function add(
    task: StoredTask,
    limits: TaskLimits | undefined,
    own: Set<Promise<unknown>>,
  ): ReturnType<TaskStore['create']> {
    const creation = create(task, limits);
    underWay.set(task.owner, own.add(creation));
    try {
      return await creation;
    } finally {
      own.delete(creation);
      if (own.size === 0) underWay.delete(task.owner);
    }
  }

  return async (task, limits) => {
    const { maxTasks = Infinity, maxTasksPerCaller } = limits ?? {};
    for (;;) {
      if ((await count()) >= maxTasks) return 'maxTasks';
      if (maxTasksPerCaller === undefined) return create(task, limits);
      const counted = await count(task.owner);
      if (counted >= maxTasksPerCaller) return 'maxTasksPerCaller';
      const own = underWay.get(task.owner) ?? new Set();
      if (counted + own.size < maxTasksPerCaller) return add(task, limits, own);
      // A pending creation frees its place when it fails, too.
      await Promise.race([...own].map((creation) => creation.catch(() => undefined)));
    }
  };
}
