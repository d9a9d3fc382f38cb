/** A store that stops the process at a named operation: `before create`, `after put outcome`. */
import process from 'node:process';
import type { StoredTask, TaskStore } from '../../src/model/task-record.ts';

const forever = new Promise<never>(() => undefined);

/** Dies as if killed, without cleanup. */
export async function dieHere(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return forever;
}

/** What a write adds to the record, as text. */
const kindsOf = ({ steps, questions, answers, outcome, lease }: StoredTask): string[] => [
  ...steps.map(([key]) => `step ${key}`),
  ...(questions.length > 0 ? ['question'] : []),
  ...(answers.length > 0 ? ['answer'] : []),
  ...(outcome === undefined ? [] : ['outcome']),
  ...(lease === undefined ? ['release'] : []),
];

/** `tell` is called with every write. */
export function faultyStore(store: TaskStore, stopAt: string | undefined, tell: (task: StoredTask) => void): TaskStore {
  const known = new Map<string, readonly string[]>();
  const stopIf = async (point: string): Promise<void> => {
    if (point === stopAt) await dieHere();
  };
  return {
    ...store,
    async create(task, limits) {
      await stopIf('before create');
      const isNew = await store.create(task, limits);
      await stopIf('after create');
      return isNew;
    },
    async put(task, expected) {
      const before = known.get(task.id) ?? [];
      const added = kindsOf(task).filter((kind) => !before.includes(kind));
      for (const kind of added) await stopIf(`before put ${kind}`);
      const isWritten = await store.put(task, expected);
      if (!isWritten) return false;
      tell(task);
      known.set(task.id, kindsOf(task));
      for (const kind of added) await stopIf(`after put ${kind}`);
      return true;
    },
  };
}
