/** Sample tasks that all checks of a task store share. */
import type { StoredTask, TaskStore } from '../model/task-record.ts';
import { expectEqual } from './check-support.ts';

/** The body of a check, which gets two handles on the same tasks. */
export type CheckBody = (store: TaskStore, other: TaskStore) => Promise<void>;

export const sampleTask = (changes: Partial<StoredTask> = {}): StoredTask => ({
  ...{ id: 'task', version: 1, owner: 'owner', form: 'handle', tool: 'tool', arguments: {}, code: '1' },
  ...{ caller: { capabilities: {} }, resume: true, isSeen: false, status: 'working', runs: 0, interruptions: 0 },
  ...{ createdAt: 1, updatedAt: 1, ttlMs: null, pollMs: 1_000, endsAt: 1_000, dueAt: 100 },
  ...{ asked: [], questions: [], answers: [], begun: [], steps: [] },
  ...changes,
});

export async function createSampleTask(store: TaskStore, changes?: Partial<StoredTask>): Promise<StoredTask> {
  const task = sampleTask(changes);
  expectEqual('create', await store.create(task), true);
  return task;
}
