/**
 * The folders that each server is shown: what they are called in truth, as long as they are there. Showing a folder gives no access to
 * it and hiding one takes none away: a server reads whatever its process may read.
 */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { QuestionContext } from '../../client/index.ts';
import { badDefinition, McpError, RpcError } from '../../errors.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Root } from '../../model/sampling.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { type AnswerContext, answerAct } from './answer-act.ts';

/** How often it is looked whether folders that were shown are still there. */
const LOOK_MS = 10_000;
/** What the specification's examples answer when the user says no. */
const REFUSED = -1;

export interface RootsOptions extends AnswerContext {
  readonly server: HostedServer;
}

/** The folders that a server is shown, and changing them. */
export interface ShownRoots {
  readonly paths: readonly string[];
  /** Shows others from now on, and notifies the server where its revision can. */
  set(paths: readonly string[]): Promise<void>;
}

export class ServerRoots implements ShownRoots {
  readonly #options: RootsOptions;
  paths: readonly string[];
  /** What the server was shown last. */
  #shown: readonly Root[] | undefined;
  #stop: (() => void) | undefined;

  constructor(paths: readonly string[], options: RootsOptions) {
    this.paths = [...paths];
    this.#options = options;
  }

  async set(paths: readonly string[]): Promise<void> {
    this.paths = [...paths];
    await this.#notifyChanged();
  }

  /** What the server gets, if the gate lets it. The user can leave some out, and add none. */
  async list({ task, signal }: Partial<QuestionContext> = {}): Promise<readonly Root[]> {
    const { gate } = this.#options;
    const roots = await accessible(this.paths);
    const facts = { kind: 'roots', name: 'roots', arguments: { roots }, effects: 'read', openWorld: false } as const;
    const act = answerAct(this.#options, facts);
    try {
      const options = { editable: true, task, signal, outcome: () => 'shown' };
      return await gate.pass(act, async (permit) => this.#grant(permit.arguments['roots'], roots), options);
    } catch (error) {
      if (error instanceof McpError && error.code === 'MCP_DENIED') throw new RpcError(REFUSED, 'No folders are shown');
      throw error;
    }
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #grant(given: unknown, offered: readonly Root[]): readonly Root[] {
    const known = new Set(offered.map((root) => canonicalJson(root)));
    const fine = Array.isArray(given) && given.every((root) => known.has(canonicalJson(root)));
    if (!fine) throw badDefinition('The changed roots', 'they may only be fewer');
    this.#shown = offered;
    this.#watch();
    return given as readonly Root[]; // each is one of those offered
  }

  #watch(): void {
    this.stop();
    const look = async (): Promise<void> => {
      const now = await accessible(this.paths);
      if (this.#stop === undefined) return;
      if (canonicalJson(now) === canonicalJson(this.#shown)) this.#watch();
      else await this.#notifyChanged();
    };
    this.#stop = this.#options.clock.after(LOOK_MS, () => void look(), { idle: true });
  }

  /** A server that was shown nothing has nothing to forget, and one that is not connected asks when it is. */
  async #notifyChanged(): Promise<void> {
    this.stop();
    const { server } = this.#options;
    if (this.#shown === undefined || server.state !== 'ready') return;
    this.#shown = undefined;
    const client = await server.client();
    // A server that is gone by now asks again when it is back.
    await client.rootsChanged().catch(() => undefined);
  }
}

/** Folders that are there and can be read, under their own names, each once. */
async function accessible(paths: readonly string[]): Promise<readonly Root[]> {
  const found = await Promise.all(paths.map(folder));
  const real = [...new Set(found.filter((path) => path !== undefined))];
  return real.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path }));
}

async function folder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(resolve(path));
    await access(real, constants.R_OK | constants.X_OK);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
