/** Measures the cost of 10,000 waiting tasks in an idle process. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { sqliteTasks } from '../../src/extensions/tasks/index.ts';
import type { Laboratory } from './laboratory.ts';
import { sampleTask } from './sample-task.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface WaitingCost {
  readonly tasks: number;
  readonly residentMb: number;
  /** Processor time per idle second. */
  readonly idleMsPerSecond: number;
}

const IDLE_S = 5;

/** Linux only. */
export async function measureWaiting(lab: Laboratory, tasks: number): Promise<WaitingCost> {
  const site = lab.site('sqlite');
  try {
    await fill(site.store.slice('sqlite:'.length), tasks);
    const worker = await site.worker({ LEASE_MS: '30000' });
    // Loads the task code, so that it is counted.
    const view = tasks === 0 ? { status: 'input_required' } : await worker.get('waiting-1');
    if (view.status !== 'input_required') throw new Error(`The task is ${view.status}`);
    await sleep(2_000);
    const before = cpuMs(worker);
    await sleep(IDLE_S * 1_000);
    const idleMsPerSecond = (cpuMs(worker) - before) / IDLE_S;
    return { tasks, residentMb: residentMb(worker), idleMsPerSecond };
  } finally {
    await site.end();
  }
}

async function fill(file: string, tasks: number): Promise<void> {
  const database = new Database(file);
  const store = sqliteTasks(database);
  const now = Date.now();
  const later = now + 86_400_000;
  const params = {
    message: 'Go on?',
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } },
  };
  database.exec('BEGIN');
  for (let i = 1; i <= tasks; i++) {
    await store.create(
      sampleTask({
        ...{ id: `waiting-${i}`, owner: '', tool: 'order', code: '1.0.0', status: 'input_required', runs: 1 },
        ...{ createdAt: now, updatedAt: now, ttlMs: 2 * 86_400_000, endsAt: later, dueAt: later, isSeen: true },
        questions: [['go', { method: 'elicitation/create', params }]],
      }),
    );
  }
  database.exec('COMMIT');
  database.close();
}

const ofProcess = ({ child }: WorkerProcess, file: string): string =>
  readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
/** A tick is 10 ms. */
const cpuMs = (worker: WorkerProcess): number =>
  ofProcess(worker, 'stat')
    .split(' ')
    .slice(13, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
const residentMb = (worker: WorkerProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(ofProcess(worker, 'status'))?.[1]) / 1024);
