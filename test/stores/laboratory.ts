/** Creates stores and workers for a test run, and removes them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { type RedisServer, startRedis } from './redis-server.ts';
import { type Deed, type Form, linesIn, WorkerProcess, type Write } from './worker-process.ts';

export type StoreKind = 'sqlite' | 'redis';

/** One store, and the processes that share it. */
export interface Site {
  readonly store: string;
  worker(env?: NodeJS.ProcessEnv, form?: Form): Promise<WorkerProcess>;
  deeds(name: string): Deed[];
  writes(): Write[];
  end(): Promise<void>;
}

export class Laboratory {
  readonly #folder: string;
  readonly #redis: RedisServer;
  readonly #bundle: string;
  #sites = 0;

  constructor(folder: string, redis: RedisServer, bundle: string) {
    this.#folder = folder;
    this.#redis = redis;
    this.#bundle = bundle;
  }

  site(kind: StoreKind): Site {
    const name = `site-${++this.#sites}`;
    const store = kind === 'sqlite' ? `sqlite:${join(this.#folder, name)}.db` : `redis:${this.#redis.port}:${name}`;
    const log = join(this.#folder, `${name}.log`);
    const workers: WorkerProcess[] = [];
    return {
      store,
      worker: async (env = {}, form = 'handle') => {
        const worker = new WorkerProcess(this.#bundle, { STORE: store, DEEDS: log, ...env }, form);
        workers.push(worker);
        return worker.open();
      },
      deeds: (what) => linesIn(log).filter((line): line is Deed => line.name === what),
      writes: () => linesIn(log).filter((line): line is Write => line.name === 'put'),
      end: async () => void (await Promise.all(workers.map((worker) => worker.kill()))),
    };
  }

  async close(): Promise<void> {
    await this.#redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function openLaboratory(): Promise<Laboratory> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-kills-'));
  return new Laboratory(folder, await startRedis(), await bundleProgram('worker', folder));
}

/** Bundles a program of this folder into another folder, so that processes load it quickly. */
export async function bundleProgram(name: string, folder: string): Promise<string> {
  await build({
    input: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
    platform: 'node',
    transform: { target: 'node20' },
    output: { dir: folder, format: 'esm', entryFileNames: `${name}.mjs`, chunkFileNames: '[name]-[hash].mjs' },
    logLevel: 'warn',
  });
  return join(folder, `${name}.mjs`);
}
