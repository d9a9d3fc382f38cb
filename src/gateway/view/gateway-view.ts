/** One view: its upstreams, the selected parts, their exposed names, and the merged tables of parts. */
import { compileGlob } from '../../host/policy/act-match.ts';
import { certainSpellings, normalizeUri } from '../../host/policy/uri-spellings.ts';
import { cutText } from '../../model/cut-text.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { Warnings } from '../../peer/warnings.ts';
import { type ListName, listNames, lists } from '../../revisions/decode-lists.ts';
import { audienceOf } from '../bridge/question-capabilities.ts';
import type { AudienceRequest, ExposedPart, GatewayRequest, UpstreamAudience } from '../contract.ts';
import { buildTable, type ListedUpstream, type PartTable, type WithheldPart } from '../lists/part-table.ts';
import { ExposedNames } from '../names/exposed-names.ts';
import { hopsOf } from '../names/gateway-meta.ts';
import { type GatewayLock, lockAddress, type UpstreamOffer } from '../policy/gateway-lock.ts';
import { type ScreenedPart, screenPart } from '../policy/withheld-part.ts';
import type { NameSpec, ViewSelection, ViewSpec } from '../spec.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { KeptList } from '../upstreams/upstream-lists.ts';

interface ViewUpstream {
  readonly upstream: Upstream;
  /** Undefined selects everything. */
  readonly selection: ViewSelection | undefined;
}

/** Characters of one upstream's instructions. */
const MAX_INSTRUCTIONS = 2_000;
/** Cached tables: one per combination of list versions. */
const MAX_TABLES = 64;

export class GatewayView {
  readonly name: string;
  readonly spec: ViewSpec;
  readonly names: ExposedNames;
  readonly members: ReadonlyMap<string, ViewUpstream>;
  readonly #tables: Map<string, PartTable> = new Map();
  /** The last table with the lists that it was built from; most requests need the same one. */
  readonly #last: Map<ListName, { readonly kept: readonly Kept[]; readonly table: PartTable }> = new Map();
  readonly #lock: GatewayLock | undefined;
  readonly #warnings: Warnings;

  constructor(name: string, spec: ViewSpec, { upstreams, names, lock, warnings }: ViewParts) {
    this.name = name;
    this.spec = spec;
    this.#lock = lock;
    this.#warnings = warnings;
    this.members = new Map(spec.of.flatMap((one) => membersOf(one, upstreams)));
    this.names = new ExposedNames(names, [...this.members.keys()]);
  }

  /** Whether the view selects this part, listed or not. */
  includes(label: string, list: ListName, key: string): boolean {
    const member = this.members.get(label);
    if (member === undefined) return false;
    const { selection } = member;
    return selection === undefined || selection[lists[list].capability]?.some((one) => compileGlob(one)(key)) === true;
  }

  /** Whether the view selects an unlisted resource. The caller chose the URI, so every equivalent spelling must match. */
  includesUnlisted(label: string, uri: string): boolean {
    const member = this.members.get(label);
    if (member === undefined) return false;
    const { resources = [] } = member.selection ?? {};
    return member.selection === undefined || resources.some((pattern) => isUriWithin(pattern, uri));
  }

  /** The table of all parts of a kind. Waits a limited time for upstreams that have not listed yet. */
  async table(list: ListName, incoming: GatewayRequest | undefined): Promise<PartTable> {
    const hops = hopsOf(incoming?.request.params);
    const waiting = [...this.members.values()].map(({ upstream }) =>
      upstream.listFor(list, listAudienceOf(incoming, upstream), hops),
    );
    const kept = waiting.some((one) => one instanceof Promise)
      ? await Promise.all(waiting.map(async (one) => one))
      : (waiting as Kept[]); // checked in the condition
    await this.#lock?.record(this.#offers(list, kept));
    return this.#tableOf(list, kept, incoming);
  }

  /** Watches the lists that upstreams have for this caller alone, until the returned function is called. */
  listen(incoming: AudienceRequest): () => void {
    const stops: (() => void)[] = [];
    // For most upstreams there is nothing to watch, so the audience is not computed.
    for (const { upstream } of this.members.values())
      if (upstream.hasPersonalLists) stops.push(upstream.listen(audienceOf(incoming, upstream.settings.questions)));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Whether callers can have different lists. */
  get listsApart(): boolean {
    for (const { upstream } of this.members.values()) if (upstream.listsApart) return true;
    return false;
  }

  /** The part as callers see it, or why it is withheld; also for unlisted parts. */
  screen(part: ExposedPart): ScreenedPart {
    const passesApps = this.members.size === 1 || this.spec.apps?.includes(part.label) === true;
    return screenPart(part, { lock: this.#lock, passesApps });
  }

  #offers(list: ListName, kept: readonly Kept[]): readonly UpstreamOffer[] {
    return [...this.members].flatMap(([label, { upstream }], index) => {
      const items = kept[index]?.items;
      const { settings, main } = upstream;
      const about = {
        label,
        kind: lists[list].kind,
        address: lockAddress(settings.target),
        info: main?.client.server.info,
      };
      return items === undefined ? [] : [{ ...about, items }];
    });
  }

  readonly originOf = (label: string): string | undefined => {
    const target = this.members.get(label)?.upstream.settings.target;
    return typeof target === 'string' || target instanceof URL ? new URL(target).origin : undefined;
  };

  /** The operator's instructions, followed by those of trusted upstreams. */
  instructions(own: string | undefined): string | undefined {
    const theirs = [...this.members].flatMap(([label, { upstream }]) => {
      const text =
        upstream.settings.trust.instructions === true ? upstream.main?.client.server.instructions : undefined;
      return text === undefined ? [] : [`[${label}]\n${cutText(text, MAX_INSTRUCTIONS)}`];
    });
    const all = [this.spec.instructions ?? own, ...theirs].filter((one) => one !== undefined);
    return all.length === 0 ? undefined : all.join('\n\n');
  }

  /** The table from cached lists, without waiting. */
  tableNow(list: ListName, incoming: AudienceRequest | undefined): PartTable {
    const last = this.#last.get(list);
    if (last !== undefined && this.#areKept(last.kept, list, incoming)) return last.table;
    const kept = [...this.members.values()].map(({ upstream }) =>
      upstream.keptList(list, listAudienceOf(incoming, upstream)),
    );
    const table = this.#tableOf(list, kept, incoming);
    // With a lock, visibility can change without the lists.
    if (this.#lock === undefined) this.#last.set(list, { kept, table });
    return table;
  }

  /** Parts that are withheld from all callers. */
  get withheld(): readonly WithheldPart[] {
    return listNames.flatMap((list) => this.tableNow(list, undefined).withheld);
  }

  /** The cache hints of the merged list. */
  hintsOf(list: ListName, incoming: GatewayRequest): { readonly ttlMs: number; readonly isPublic: boolean } {
    const kept = [...this.members.values()].map(({ upstream }) => ({
      list: upstream.keptList(list, listAudienceOf(incoming, upstream)),
      isTrusted: upstream.settings.trust.cache === 'public',
    }));
    return {
      ttlMs: Math.min(...kept.map((one) => one.list?.ttlMs ?? 0)),
      isPublic: kept.every((one) => one.list?.isPublic === true || one.isTrusted),
    };
  }

  /** Whether these are still the cached lists, with none missing. */
  #areKept(lists: readonly Kept[], list: ListName, incoming: AudienceRequest | undefined): boolean {
    let at = 0;
    for (const { upstream } of this.members.values()) {
      const kept = upstream.keptList(list, listAudienceOf(incoming, upstream));
      if (kept === undefined || kept !== lists[at++]) return false;
    }
    return true;
  }

  #tableOf(list: ListName, kept: readonly Kept[], incoming: AudienceRequest | undefined): PartTable {
    const known = kept.map((one) =>
      one === undefined || this.#lock?.isRecorded(one.items) === false ? undefined : one,
    );
    const labels = [...this.members.keys()];
    const hidden = known.map((one, at) =>
      one === undefined ? this.#hidden(list, labels[at] ?? '', incoming) : undefined,
    );
    const versions = known.map((one, at) => one?.version ?? hidden[at]?.version ?? '-');
    const key = `${list} ${this.#lock?.version} ${versions.join(' ')}`;
    const before = this.#tables.get(key);
    if (before !== undefined) return before;
    const upstreams = known.map((one, index): ListedUpstream => {
      const label = labels[index] ?? '';
      const includes = (part: string): boolean => this.includes(label, list, part);
      const mayClaim = hidden[index]?.mayClaim;
      return { label, items: one?.items ?? [], includes, mayClaim, screen: (part) => this.screen(part) };
    });
    const table = buildTable(list, upstreams, this.names);
    setNewest(this.#tables, key, table, MAX_TABLES);
    for (const { label, kind, key: own, why, isForNow } of table.withheld)
      if (isForNow !== true) this.#warnings.once(`${label}: the ${kind} "${own}" is withheld: ${why}`);
    return table;
  }

  /**
   * The names that an upstream with a missing list may have: those of its last list, or any. Meanwhile, such a name must not go to
   * another upstream. Undefined if the list belongs to a caller and there is none.
   */
  #hidden(list: ListName, label: string, incoming: AudienceRequest | undefined): HiddenList | undefined {
    const upstream = this.members.get(label)?.upstream;
    if (upstream === undefined || (incoming === undefined && upstream.settings.credentials.isPersonal))
      return undefined;
    const last = upstream.keptList(list, listAudienceOf(incoming, upstream));
    const { key: keyMember, kind } = lists[list];
    const canHave = (key: string): boolean =>
      this.includes(label, list, key) && (last === undefined || last.items.some((item) => item[keyMember] === key));
    return {
      version: `-${last?.version ?? 'none'}`,
      mayClaim: (name) => this.names.keysBehind(label, kind, name).some(canHave),
    };
  }
}

type Kept = KeptList | undefined;

interface HiddenList extends Required<Pick<ListedUpstream, 'mayClaim'>> {
  readonly version: string;
}

interface ViewParts {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly names: NameSpec;
  readonly lock: GatewayLock | undefined;
  readonly warnings: Warnings;
}

/** Undefined if all callers see the same list. */
export const listAudienceOf = (
  incoming: AudienceRequest | undefined,
  upstream: Upstream,
): UpstreamAudience | undefined =>
  incoming !== undefined && upstream.listsApart ? audienceOf(incoming, upstream.settings.questions) : undefined;

function membersOf(
  member: ViewSpec['of'][number],
  upstreams: ReadonlyMap<string, Upstream>,
): readonly [string, ViewUpstream][] {
  const selections: readonly (readonly [string, ViewSelection | undefined])[] =
    typeof member === 'string' ? [[member, undefined]] : Object.entries(member);
  return selections.flatMap(([label, selection]): [string, ViewUpstream][] => {
    const upstream = upstreams.get(label);
    return upstream === undefined ? [] : [[label, { upstream, selection }]];
  });
}

/** A URI that parsers may read differently matches no pattern. */
function isUriWithin(pattern: string, uri: string): boolean {
  const spellings = certainSpellings(uri);
  const normal = normalizeUri(pattern, { keepCase: true });
  return spellings.length > 0 && spellings.every(compileGlob(normal));
}
