/** The skills of all servers of a host: what is listed, how it compares with the lock, and the files that were verified. */
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

/** A skill of a server, compared with the lock. */
export interface CheckedSkill extends DefinitionCheck {
  readonly server: HostedServer;
  readonly entry: SkillEntry;
}

export class HostSkills {
  readonly #options: HostSkillsOptions;
  readonly #cache: SkillCache;
  /** What each server listed last, by label: to find equal names, and URIs that the server itself has named. */
  readonly #listed: Map<string, { readonly client: Client; readonly entries: readonly SkillEntry[] }> = new Map();

  constructor(options: HostSkillsOptions) {
    this.#options = options;
    this.#cache = options.cache ?? memorySkillCache();
  }

  /** Opens a server as its list of tools does. Undefined where it is not open, or has no skills. */
  async open(label: string, signal?: AbortSignal): Promise<{ server: HostedServer; client: Client } | undefined> {
    const { server } = this.#options.catalogue.findResource(label, '');
    if (server.state !== 'ready') return undefined;
    const client = await server.client(signal);
    return declaresSkills(client.server.capabilities) ? { server, client } : undefined;
  }

  /** What a server lists now. A failure is a warning: the skills of other servers are no worse for it. */
  async list(label: string, options: RequestOptions): Promise<readonly CheckedSkill[]> {
    try {
      const opened = await this.open(label, options.signal);
      if (opened === undefined) return [];
      const { server, client } = opened;
      const onWarning = (why: string): void => this.#options.onWarning(`${label}: ${why}`);
      const entries = await listSkills(client, onWarning, options);
      this.#listed.set(label, { client, entries });
      await this.#record(server, client, []);
      return entries.map((entry) => this.check(server, entry));
    } catch (error) {
      options.signal?.throwIfAborted();
      this.#options.onWarning(`The skills of ${label} could not be listed: ${networkReason(error)}`);
      return [];
    }
  }

  /** Whether this connection listed it: then asking for it reveals nothing to the server. */
  isListed(label: string, client: Client, uri: string): boolean {
    const listed = this.#listed.get(label);
    return listed?.client === client && listed.entries.some((entry) => entry.uri === uri);
  }

  /** The skill as the server describes it now; the lock knows it from here on. */
  async get(server: HostedServer, uri: string, options: RequestOptions): Promise<CheckedSkill> {
    const client = await server.client(options.signal);
    const entry = await getSkill(client, uri, options);
    await this.#record(server, client, [entry]);
    return this.check(server, entry);
  }

  /** What cannot be verified is in no lock, and never approved. */
  check(server: HostedServer, entry: SkillEntry): CheckedSkill {
    const { status, reasons, definition } = this.#options.catalogue.check(skillItem(server.label, entry));
    return { server, entry, status, definition, reasons: [...reasons, ...this.#sameName(server.label, entry)] };
  }

  async approve({ server, entry }: CheckedSkill): Promise<void> {
    const { lock, onWarning } = this.#options;
    if (entry.resources !== 'dynamic')
      await lock.accept(skillItem(server.label, entry)).catch((error: unknown) => onWarning(String(error)));
  }

  /** One file of a skill, verified, from the cache or from the server. */
  async read({ server, entry }: CheckedSkill, path: string, options: RequestOptions): Promise<Uint8Array> {
    const file = skillFile(entry, path);
    const { digest } = file;
    const key = digest === undefined ? undefined : { server: server.label, uri: file.uri, digest };
    const kept = key === undefined ? undefined : await this.#cache.get(key).catch(() => undefined);
    if (kept !== undefined && (await isVerified(file, kept))) return kept;
    const bytes = await fetchSkillFile(await server.client(options.signal), file.uri, options);
    await verifySkillFile(file, bytes);
    const { onWarning } = this.#options;
    if (key !== undefined) await this.#cache.set(key, bytes).catch((error: unknown) => onWarning(String(error)));
    return bytes;
  }

  /** Where the server describes the skill differently by now, a rejected file means that the skill changed: the error says so. */
  async explainRejection(error: unknown, held: CheckedSkill, options: RequestOptions): Promise<unknown> {
    if (!(error instanceof McpError && error.code === 'MCP_SKILL_REJECTED')) return error;
    const { server, entry, definition } = held;
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

  /** Names are not unique, and one that imitates another is an attack. */
  #sameName(label: string, { uri, frontmatter }: SkillEntry): readonly string[] {
    const all = [...this.#listed].flatMap(([server, { entries }]) => entries.map((entry) => ({ server, entry })));
    return all
      .filter(
        ({ server, entry }) => entry.frontmatter.name === frontmatter.name && !(server === label && entry.uri === uri),
      )
      .slice(0, 3)
      .map(({ server, entry }) => `it has the name of another skill, ${escapeUnprintable(entry.uri)} of ${server}`);
  }
}

const isVerified = (...file: Parameters<typeof verifySkillFile>): Promise<boolean> =>
  verifySkillFile(...file).then(
    () => true,
    () => false,
  );
