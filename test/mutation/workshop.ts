/** Drives the worker process, and restarts it if a mutant makes it hang or crash. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';
import type { Order, Outcome, Reach } from './worker.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

export class Workshop {
  #worker: ChildProcess | undefined;
  /** The duration of the slowest run without a mutant. */
  #usual = 0;

  /** Which tests enter which functions of the file, without a mutant. */
  async reach(file: string, tests: readonly string[]): Promise<readonly Reach[]> {
    const before = performance.now();
    const outcome = await this.#ask({ kind: 'reach', file, tests }, 600_000);
    this.#usual = performance.now() - before;
    if (outcome === 'late' || !('reached' in outcome)) throw new Error(`The tests of ${file} did not end`);
    if (outcome.failed.length > 0)
      throw new Error(`These fail without a mutant in ${file}: ${outcome.failed.join('\n')}`);
    return outcome.reached;
  }

  /** The name of the first test that fails, or undefined. */
  async killerOf(mutant: Mutant, reached: readonly Reach[]): Promise<string | undefined> {
    const tests: Record<string, string[]> = {};
    for (const { file, id, entered } of reached) {
      if (mutant.inside < 0 || entered.includes(mutant.inside)) tests[file] = [...(tests[file] ?? []), id];
    }
    if (Object.keys(tests).length === 0) return undefined;
    const outcome = await this.#ask({ kind: 'mutant', mutant, tests }, 20_000 + 3 * this.#usual);
    if (outcome === 'late') return 'no test ended in time';
    return 'killedBy' in outcome ? outcome.killedBy : undefined;
  }

  close(): void {
    this.#worker?.kill('SIGKILL');
    this.#worker = undefined;
  }

  async #ask(order: Order, patience: number): Promise<Outcome | 'late'> {
    this.#worker ??= await started();
    const worker = this.#worker;
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.close();
        resolve('late');
      }, patience);
      worker.once('message', (outcome: Outcome) => {
        clearTimeout(timer);
        worker.removeAllListeners('exit');
        resolve(outcome);
      });
      worker.once('exit', (code) => {
        clearTimeout(timer);
        if (this.#worker !== worker) return;
        this.#worker = undefined;
        // A mutant can exit the process or exhaust its memory.
        if (order.kind === 'mutant') resolve({ killedBy: `the test process ended with ${code}` });
        else reject(new Error(`The test process ended with ${code}`));
      });
      worker.send(order);
    });
  }
}

function started(): Promise<ChildProcess> {
  const worker = fork(WORKER, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve(worker));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The test process ended with ${code} before it was ready`)));
  });
}
