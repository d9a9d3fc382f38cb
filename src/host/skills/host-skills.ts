/** Lists the skills of all servers of a host, compares them with the lock, and reads their files, verified and cached. */
import type { Client, RequestOptions } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { declaresSkills, getSkill, listSkills } from '../../extensions/skills/list-skills.ts';
import { memorySkillCache, type SkillCache } from '../../extensions/skills/skill-cache.ts';
import type { SkillEntry } from '../../extensions/skills/skill-entry.ts';
import { fetchSkillFile, skillFile, verifySkillFile } from '../../extensions/skills/verify-skill.ts';
import { networkReason } from '../../model/printable.ts';
import { claimedName } from '../act/claims.ts';
import type { HostCatalogue } from '../catalogue/catalogue.ts';
import type { DefinitionCheck, Lock } from '../lock/lock.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { skillItem } from './skill-item.ts';

export interface HostSkillsOptions {
  readonly lock: Lock;
  readonly catalogue: HostCatalogue;
  readonly cache: SkillCache | undefined;
  readonly onWarning: (warning: string) => void;
}

interface ServerSkill {
  readonly server: HostedServer;
  readonly entry: SkillEntry;
}

interface NamedSkill {
  readonly server: string;
  readonly uri: string;
}

/** A skill of a server, compared with the lock. */
export interface CheckedSkill extends DefinitionCheck, ServerSkill {}

/** Other skills with the same name that a warning lists. */
const MAX_NAMED = 3;

export class HostSkills {
  readonly #options: HostSkillsOptions;
  readonly #cache: SkillCache;
  /** The last list of each server, by label: to find equal names, and URIs that the server itself has named. */
  readonly #listed: Map<string, { readonly client: Client; readonly entries: readonly SkillEntry[] }> = new Map();
  /** The listed skills by name. Recomputed after each list. */
  #byName: ReadonlyMap<string, readonly NamedSkill[]> | undefined;

  constructor(options: HostSkillsOptions) {
    this.#options = options;
    this.#cache = options.cache ?? memorySkillCache();
  }

  /** A server with its client. Undefined if the server is not open, or does not declare skills. */
  async findOpen(label: string, signal?: AbortSignal): Promise<{ server: HostedServer; client: Client } | undefined> {
    const { server } = this.#options.catalogue.findResource(label, '');
    if (server.state !== 'ready') return undefined;
    const client = await server.client(signal);
    return declaresSkills(client.server.capabilities) ? { server, client } : undefined;
  }

  /** Lists the skills of a server. A failure is only a warning, because it does not affect the skills of other servers. */
  async list(label: string, options: RequestOptions): Promise<readonly ServerSkill[]> {
    try {
      const opened = await this.findOpen(label, options.signal);
      if (opened === undefined) return [];
      const { server, client } = opened;
      const onWarning = (why: string): void => this.#options.onWarning(`${label}: ${why}`);
      const entries = await listSkills(client, onWarning, options);
      this.#listed.set(label, { client, entries });
      this.#byName = undefined;
      await this.#record(server, client, []);
      return entries.map((entry) => ({ server, entry }));
    } catch (error) {
      options.signal?.throwIfAborted();
      this.#options.onWarning(`The skills of ${label} could not be listed: ${networkReason(error)}`);
      return [];
    }
  }

  /** Whether the server listed the URI on this connection. If so, a request for it reveals nothing to the server. */
  isListed(label: string, client: Client, uri: string): boolean {
    const listed = this.#listed.get(label);
    return listed?.client === client && listed.entries.some((entry) => entry.uri === uri);
  }

  /** Gets the current description of a skill from its server, and records it in the lock. */
  async get(server: HostedServer, uri: string, options: RequestOptions): Promise<CheckedSkill> {
    const client = await server.client(options.signal);
    const entry = await getSkill(client, uri, options);
    await this.#record(server, client, [entry]);
    return this.check(server, entry);
  }

  /** Compares a skill with the lock. A dynamic skill cannot be verified, so it is not in the lock, and never approved. */
  check(server: HostedServer, entry: SkillEntry): CheckedSkill {
    const { status, reasons, definition } = this.#options.catalogue.check(skillItem(server.label, entry));
    return { server, entry, status, definition, reasons: [...reasons, ...this.#sameNameReasons(server.label, entry)] };
  }

  async approve({ server, entry }: CheckedSkill): Promise<void> {
    const { lock, onWarning } = this.#options;
    if (entry.resources !== 'dynamic')
      await lock.accept(skillItem(server.label, entry)).catch((error: unknown) => onWarning(String(error)));
  }

  /** Reads one file of a skill from the cache or the server, and verifies it. */
  async read({ server, entry }: CheckedSkill, path: string, options: RequestOptions): Promise<Uint8Array> {
    const file = skillFile(entry, path);
    const { digest } = file;
    const key = digest === undefined ? undefined : { server: server.label, uri: file.uri, digest };
    const cached = key === undefined ? undefined : await this.#cache.get(key).catch(() => undefined);
    if (cached !== undefined && (await isVerified(file, cached))) return cached;
    const bytes = await fetchSkillFile(await server.client(options.signal), file.uri, options);
    await verifySkillFile(file, bytes);
    const { onWarning } = this.#options;
    if (key !== undefined) await this.#cache.set(key, bytes).catch((error: unknown) => onWarning(String(error)));
    return bytes;
  }

  /** Replaces the error for a rejected file with `MCP_SKILL_CHANGED` if the server now describes the skill differently. */
  async explainRejection(error: unknown, known: CheckedSkill, options: RequestOptions): Promise<unknown> {
    if (!(error instanceof McpError && error.code === 'MCP_SKILL_REJECTED')) return error;
    const { server, entry, definition } = known;
    const now = await this.get(server, entry.uri, options).catch(() => undefined);
    if (now === undefined || now.definition === definition) return error;
    const { label } = server;
    const why = now.reasons.join('; ').slice(0, 1_000);
    return new McpError('MCP_SKILL_CHANGED', { uri: entry.uri, server: label, why }, { cause: error });
  }

  async #record(server: HostedServer, client: Client, entries: readonly SkillEntry[]): Promise<void> {
    const { label, address } = server;
    const items = entries.filter(({ resources }) => resources !== 'dynamic').map((entry) => skillItem(label, entry));
    const claims = claimedName(client.server.info);
    await this.#options.lock.record({ server: label, address, claims, kind: 'skill', items });
  }

  /** Names of skills are not unique, and imitating another skill's name can be an attack. */
  #sameNameReasons(label: string, { uri, frontmatter: { name } }: SkillEntry): readonly string[] {
    const labels = new Set(this.#options.catalogue.labels);
    const reasons: string[] = [];
    for (const other of this.#skillsNamed(name)) {
      if (reasons.length === MAX_NAMED) break;
      if (labels.has(other.server) && !(other.server === label && other.uri === uri))
        reasons.push(`it has the name of another skill, ${escapeUnprintable(other.uri)} of ${other.server}`);
    }
    return reasons;
  }

  #skillsNamed(name: string): readonly NamedSkill[] {
    if (this.#byName !== undefined) return this.#byName.get(name) ?? [];
    const byName = new Map<string, NamedSkill[]>();
    for (const [server, { entries }] of this.#listed)
      for (const { uri, frontmatter } of entries) {
        const same = byName.get(frontmatter.name) ?? [];
        same.push({ server, uri });
        byName.set(frontmatter.name, same);
      }
    this.#byName = byName;
    return byName.get(name) ?? [];
  }
}

const isVerified = (...file: Parameters<typeof verifySkillFile>): Promise<boolean> =>
  verifySkillFile(...file).then(
    () => true,
    () => false,
  );
