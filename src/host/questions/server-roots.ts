/**
 * The roots of a server: the real paths of its folders that exist. They only inform: a server can read whatever its process can,
 * whether it is a root or not.
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

/** Interval for checking whether folders that were shown still exist. */
const CHECK_MS = 10_000;
/** The error code of the specification's examples if the user rejects. */
const USER_REJECTED = -1;

export interface RootsOptions extends AnswerContext {
  readonly server: HostedServer;
}

/** The folders (roots) that a server is shown. */
export interface ShownRoots {
  readonly paths: readonly string[];
  /** Replaces the folders, and notifies the server if its revision supports this. */
  set(paths: readonly string[]): Promise<void>;
}

export class ServerRoots implements ShownRoots {
  readonly #options: RootsOptions;
  paths: readonly string[];
  /** The roots that were offered last. */
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

  /** Returns the roots if the gate allows it. The user can remove some, but not add any. */
  async list({ task, signal }: Partial<QuestionContext> = {}): Promise<readonly Root[]> {
    const { gate } = this.#options;
    const roots = await accessibleRoots(this.paths);
    const facts = { kind: 'roots', name: 'roots', arguments: { roots }, effects: 'read', openWorld: false } as const;
    const act = answerAct(this.#options, facts);
    try {
      const options = { editable: true, task, signal, outcome: () => 'shown' };
      return await gate.pass(act, async (permit) => this.#grant(permit.arguments['roots'], roots), options);
    } catch (error) {
      if (error instanceof McpError && error.code === 'MCP_DENIED')
        throw new RpcError(USER_REJECTED, 'No folders are shown');
      throw error;
    }
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #grant(given: unknown, offered: readonly Root[]): readonly Root[] {
    const known = new Set(offered.map((root) => canonicalJson(root)));
    const isSubset = Array.isArray(given) && given.every((root) => known.has(canonicalJson(root)));
    if (!isSubset) throw badDefinition('The changed roots', 'folders can be removed, not added or changed');
    this.#shown = offered;
    this.#watch();
    return given as readonly Root[]; // each is one of those offered
  }

  #watch(): void {
    this.stop();
    const check = async (): Promise<void> => {
      const now = await accessibleRoots(this.paths);
      if (this.#stop === undefined) return;
      if (canonicalJson(now) === canonicalJson(this.#shown)) this.#watch();
      else await this.#notifyChanged();
    };
    this.#stop = this.#options.clock.after(CHECK_MS, () => void check(), { idle: true });
  }

  /** Notifies the server if it is connected and was shown roots. Otherwise it requests them when it needs them. */
  async #notifyChanged(): Promise<void> {
    this.stop();
    const { server } = this.#options;
    if (this.#shown === undefined || server.state !== 'ready') return;
    this.#shown = undefined;
    const client = await server.client();
    // A server that has disconnected requests its roots again after reconnecting.
    await client.rootsChanged().catch(() => undefined);
  }
}

/** Folders that exist and can be read, by their real paths, without duplicates. */
async function accessibleRoots(paths: readonly string[]): Promise<readonly Root[]> {
  const found = await Promise.all(paths.map(realFolder));
  const real = [...new Set(found.filter((path) => path !== undefined))];
  return real.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path }));
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(resolve(path));
    await access(real, constants.R_OK | constants.X_OK);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
