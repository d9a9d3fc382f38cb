/** Kills a server at a point of a task's life, starts another one on the same store, and reports the outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { sqliteTasks } from '../../src/extensions/tasks/index.ts';
import type { Laboratory, StoreKind } from './laboratory.ts';
import { openPlace } from './places.ts';
import type { Form, WorkerProcess } from './worker-process.ts';

export interface KillPoint {
  readonly when: string;
  readonly stopAt: string;
  readonly tool: 'order' | 'order-once';
  readonly expected: KillResult;
}

export interface KillResult {
  readonly outcome: string;
  /** How often each step ran. */
  readonly price: number;
  readonly charge: number;
  /** Distinct idempotency keys of all steps. */
  readonly keys: number;
  /** How often the user was asked; with relayed questions, a broken stream asks again. */
  readonly asked: number;
}

const paid: KillResult = { outcome: 'Paid 4200: r-1', price: 1, charge: 1, keys: 2, asked: 1 };
const nothing = { price: 0, charge: 0, keys: 0, asked: 0 };
const unknown = 'The step "charge" was interrupted, and whether it took effect is not known';
const order = { tool: 'order' } as const;

export const killPoints: readonly KillPoint[] = [
  {
    when: 'before create',
    stopAt: 'before create',
    ...order,
    expected: { outcome: 'no handle, 0 records', ...nothing },
  },
  {
    when: 'created, not answered',
    stopAt: 'after create',
    ...order,
    expected: { outcome: 'no handle, 1 record', ...nothing },
  },
  { when: 'right after the answer', stopAt: 'in handler', ...order, expected: paid },
  { when: 'after the effect of a step', stopAt: 'before put step price', ...order, expected: { ...paid, price: 2 } },
  { when: 'question open', stopAt: 'after put question', ...order, expected: paid },
  { when: 'question shown', stopAt: 'from outside', ...order, expected: paid },
  { when: 'answer written', stopAt: 'after put answer', ...order, expected: paid },
  { when: 'in the middle of a step', stopAt: 'in step charge', ...order, expected: { ...paid, charge: 2 } },
  {
    when: 'same, with again: false',
    stopAt: 'in step charge',
    tool: 'order-once',
    expected: { ...paid, outcome: unknown },
  },
  { when: 'outcome computed', stopAt: 'before put outcome', ...order, expected: paid },
  { when: 'outcome written', stopAt: 'after put outcome', ...order, expected: paid },
];

export async function killAt(
  lab: Laboratory,
  { stopAt, tool }: KillPoint,
  kind: StoreKind,
  form: Form,
): Promise<KillResult> {
  const site = lab.site(kind);
  try {
    const asked: string[] = [];
    const first = await site.worker({ STOP_AT: stopAt }, form);
    const id = await first.start(tool).catch(() => undefined);
    if (id !== undefined) await useUntilKilled(first, id, { stopAt, form, asked });
    const signal = await first.exited;
    if (signal !== 'SIGKILL') throw new Error(`The process was not killed at "${stopAt}": ${signal}`);
    const second = await site.worker({}, form);
    const outcome = id === undefined ? await leftIn(site.store) : await second.finish(id, asked);
    const [price, charge] = [site.deeds('price'), site.deeds('charge')];
    const keys = new Set([...price, ...charge].map(({ idempotencyKey }) => idempotencyKey)).size;
    return { outcome, price: price.length, charge: charge.length, keys, asked: asked.length };
  } finally {
    await site.end();
  }
}

interface Use {
  readonly stopAt: string;
  readonly form: Form;
  readonly asked: string[];
}

/** Some points are in the worker, others in the client. */
async function useUntilKilled(worker: WorkerProcess, id: string, { stopAt, form, asked }: Use): Promise<void> {
  if (stopAt === 'in handler') return worker.kill();
  const isShown = stopAt === 'from outside';
  worker.answersQuestions = !isShown;
  if (isShown && form === 'handle') {
    await worker.until(id, ({ status }) => status === 'input_required');
    asked.push('go');
    return worker.kill();
  }
  const finished = worker.finish(id, asked).catch(() => undefined);
  if (isShown) {
    while (worker.relayed.length === 0) await sleep(10);
    await worker.kill();
  }
  await finished;
}

/** The store's records after a recovery, for a caller that never got an id. */
async function leftIn(place: string): Promise<string> {
  await sleep(1_500);
  // SQLite libraries read the same file, also where this Node has none built in.
  const file = place.startsWith('sqlite:') ? place.slice('sqlite:'.length) : undefined;
  const store = file === undefined ? await openPlace(place) : sqliteTasks(new Database(file));
  const count = await store.count();
  await store.close?.();
  return `no handle, ${count} record${count === 1 ? '' : 's'}`;
}
