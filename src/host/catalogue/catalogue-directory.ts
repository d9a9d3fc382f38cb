/** Finds what a session names in the catalogue, with what the lock makes of it. */
import { McpError } from '../../errors.ts';
import type { Act } from '../act/act.ts';
import { instructionsItem, type LockItem, type LockItemKind } from '../lock/lock-item.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { HostCatalogue } from './catalogue.ts';
import type { ActSubject, Directory } from './directory.ts';
import { factsOf, judge } from './facts.ts';
import type { CatalogueItem, ItemKind } from './item.ts';
import { labelIn } from './names.ts';

export interface CatalogueDirectoryOptions {
  readonly catalogue: HostCatalogue;
  readonly servers: ReadonlyMap<string, HostedServer>;
  readonly onWarning: (warning: string) => void;
}

export class CatalogueDirectory implements Directory {
  readonly #options: CatalogueDirectoryOptions;

  constructor(options: CatalogueDirectoryOptions) {
    this.#options = options;
  }

  tool(name: string, signal?: AbortSignal): Promise<ActSubject> {
    return this.#find('tool', name, signal);
  }

  prompt(name: string, signal?: AbortSignal): Promise<ActSubject> {
    return this.#find('prompt', name, signal);
  }

  async resource(label: string, uri: string): Promise<ActSubject> {
    const server = this.#options.servers.get(label);
    if (server === undefined) throw unknown('server', label);
    return { server, name: uri, facts: { claimed: 'read', openWorld: false }, warnings: [] };
  }

  /** Somebody agreed to a definition, and this is its hash: whatever it is by now, nothing else is approved. */
  async accept(kind: LockItemKind, name: string, hash: string): Promise<void> {
    const { catalogue } = this.#options;
    const part = kind === 'instructions' ? await this.#instructions(name) : await this.#part(kind, name);
    if (part === undefined) throw unknown(kind, name);
    if (catalogue.lock.check(part, catalogue.othersOf(part.server)).definition !== hash) {
      const what = `The ${kind} ${escapeUnprintable(JSON.stringify(name))}`;
      throw new McpError('MCP_BAD_DEFINITION', { what, why: 'it has changed since it was shown; look at it again' });
    }
    await catalogue.lock.accept(part);
  }

  async #part(kind: Exclude<ItemKind, 'resource'>, name: string): Promise<LockItem | undefined> {
    const parts = await this.#options.catalogue.of(labelIn(name) ?? '', kind);
    return parts?.find((one) => one.name === name);
  }

  /** They are known by the label of their server, and as soon as it has listed anything. */
  async #instructions(label: string): Promise<LockItem | undefined> {
    const { catalogue } = this.#options;
    await catalogue.of(label, 'tool');
    const said = catalogue.instructions().find(({ server }) => server === label);
    return said === undefined ? undefined : instructionsItem(label, said.text);
  }

  async #find(kind: 'tool' | 'prompt', name: string, signal: AbortSignal | undefined): Promise<ActSubject> {
    const { catalogue, servers } = this.#options;
    const label = labelIn(name) ?? '';
    const server = servers.get(label);
    const parts = await catalogue.of(label, kind, { signal });
    if (server === undefined || parts === undefined) throw unknown('server', name);
    const part = parts.find((one) => one.name === name);
    if (part === undefined) throw unknown(kind, name);
    const { kind: _kind, server: _server, name: key, ...facts } = factsOf(part, catalogue);
    const reasons = judge(part, catalogue)?.reasons ?? [];
    const warnings = reasons.map((reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
    const current: ActSubject['current'] = (again) => this.#current(part, again);
    return { server, name: key, facts, warnings, current, agreed: () => this.#accept(part) };
  }

  async #current(
    { kind, server, name }: CatalogueItem<'tool' | 'prompt'>,
    signal: AbortSignal | undefined,
  ): Promise<Pick<Act, 'definition'> | undefined> {
    const { catalogue } = this.#options;
    const parts = await catalogue.of(server, kind, { signal, untold: true });
    const part = parts?.find((one) => one.name === name);
    return part === undefined ? undefined : { definition: judge(part, catalogue)?.definition };
  }

  /** That it cannot be written down is no reason not to do what somebody agreed to: it will be asked about again. */
  async #accept(part: CatalogueItem<'tool' | 'prompt'>): Promise<void> {
    const { catalogue, onWarning } = this.#options;
    if (judge(part, catalogue)?.status === 'approved') return;
    await catalogue.lock.accept(part).catch((error: unknown) => onWarning(String(error)));
  }
}

const unknown = (kind: string, name: string): McpError =>
  new McpError('MCP_BAD_DEFINITION', {
    what: `The ${kind} ${escapeUnprintable(JSON.stringify(name)).slice(0, 200)}`,
    why: 'this host has none such',
  });
