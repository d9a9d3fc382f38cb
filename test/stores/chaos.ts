/** Many tasks in processes that are killed or stalled at random, and invariants that must always hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Laboratory, Site, StoreKind } from './laboratory.ts';
import { isEnded, POLL_MS, textOf, type WorkerProcess } from './worker-process.ts';

export interface ChaosResult {
  /** The number of tasks by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Distinct idempotency keys of the step that charges. */
  readonly deeds: number;
  /** How often that step ran, and how often a process was killed or stalled. */
  readonly charges: number;
  readonly faults: number;
  /** Records with two writes of one version, steps with several results, tasks that ended twice. */
  readonly contradictions: readonly string[];
}

const between = (least: number, most: number): number => least + Math.random() * (most - least);

/** Runs one process after another, each killed before it is done. */
export async function killAtRandom(lab: Laboratory, kind: StoreKind, count: number): Promise<ChaosResult> {
  const site = lab.site(kind);
  const env = { LEASE_MS: '200' };
  let worker = await site.worker(env);
  const ids: string[] = [];
  const outcomes = new Map<string, string>();
  let kills = 0;
  try {
    while (ids.length < count) ids.push(await worker.start('order'));
    for (const id of ids) await worker.get(id);
    while (outcomes.size < count) {
      const current = worker;
      const before = site.writes().length;
      // Counted in writes, so that each process makes progress even on a busy machine.
      const life = between(Math.min(1.5 * count, 60), Math.min(3 * count, 160));
      const watch = setInterval(() => {
        if (site.writes().length - before > life) void current.kill();
      }, 10);
      const isCut = await drive(ids, outcomes, () => current).then(
        () => false,
        () => true,
      );
      clearInterval(watch);
      await current.kill();
      if (isCut) kills++;
      if (outcomes.size < count) worker = await site.worker(env);
    }
    return judge(site, outcomes, kills);
  } finally {
    await site.end();
  }
}

/** Two processes with short leases, stopped and resumed at random; one clock is ten seconds ahead. */
export async function stallAtRandom(lab: Laboratory, kind: StoreKind, count: number): Promise<ChaosResult> {
  const site = lab.site(kind);
  const env = { LEASE_MS: '200' };
  const workers = [await site.worker(env), await site.worker({ ...env, CLOCK_SKEW_MS: '10000' })];
  const outcomes = new Map<string, string>();
  let [stalls, isOver] = [0, false];
  const stalling = workers.map(async (worker) => {
    while (!isOver) {
      await sleep(between(50, 200));
      worker.signal('SIGSTOP');
      stalls++;
      await sleep(between(100, 600));
      worker.signal('SIGCONT');
    }
  });
  try {
    const either = (): WorkerProcess => workers[Math.floor(Math.random() * 2)] as WorkerProcess; // there are two
    const ids = await Promise.all(Array.from({ length: count }, () => either().start('order')));
    while (outcomes.size < count) await drive(ids, outcomes, either);
    return judge(site, outcomes, stalls);
  } finally {
    isOver = true;
    await Promise.all(stalling);
    await site.end();
  }
}

/** Polls all open tasks, a few at a time, and answers their questions, until all have ended. */
async function drive(ids: readonly string[], outcomes: Map<string, string>, next: () => WorkerProcess): Promise<void> {
  while (outcomes.size < ids.length) {
    const open = ids.filter((id) => !outcomes.has(id));
    for (let i = 0; i < open.length; i += 20) {
      await Promise.all(
        open.slice(i, i + 20).map(async (id) => {
          const view = await next().get(id);
          if (view.status === 'input_required') await next().answer(id, Object.keys(view.inputRequests ?? {}));
          if (isEnded(view)) outcomes.set(id, textOf(view));
        }),
      );
    }
    await sleep(POLL_MS);
  }
}

function judge(site: Site, outcomes: ReadonlyMap<string, string>, faults: number): ChaosResult {
  const counts: Record<string, number> = {};
  for (const text of outcomes.values()) counts[text] = (counts[text] ?? 0) + 1;
  const charges = site.deeds('charge');
  const deeds = new Set(charges.map(({ idempotencyKey }) => idempotencyKey)).size;
  return { outcomes: counts, deeds, charges: charges.length, faults, contradictions: contradictionsIn(site) };
}

function contradictionsIn(site: Site): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  const say = (what: string, value: unknown): void => {
    const text = JSON.stringify(value);
    if ((seen.get(what) ?? text) !== text) found.push(`${what}: ${seen.get(what)}, then ${text}`);
    seen.set(what, text);
  };
  const versions = new Set<string>();
  for (const { id, version, steps, outcome } of site.writes()) {
    if (versions.has(`${id} ${version}`)) found.push(`Version ${version} of ${id} was written twice`);
    versions.add(`${id} ${version}`);
    for (const [key, record] of steps) say(`Step ${key} of ${id}`, record);
    const keys = steps.map(([key]) => key);
    if (new Set(keys).size < keys.length) found.push(`A step of ${id} has two results: ${keys.join(', ')}`);
    if (outcome !== undefined) say(`Outcome of ${id}`, outcome);
  }
  return found;
}
