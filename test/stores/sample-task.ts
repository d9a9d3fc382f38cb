/** A task that has not run. */
import type { StoredTask } from '../../src/model/task-record.ts';

export const sampleTask = (changes: Partial<StoredTask> = {}): StoredTask => ({
  ...{ id: 'task', version: 1, owner: 'owner', form: 'handle', tool: 'tool', arguments: {}, code: '1' },
  ...{ caller: { capabilities: {} }, resume: true, isSeen: false, status: 'working', runs: 0, interruptions: 0 },
  ...{ createdAt: 1, updatedAt: 1, ttlMs: null, pollMs: 1_000, endsAt: 1_000, dueAt: 100 },
  ...{ asked: [], questions: [], answers: [], begun: [], steps: [] },
  ...changes,
});
