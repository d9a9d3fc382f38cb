/** The parts of one kind that a view has, under the names that callers see. What two upstreams claim belongs to neither. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { headerFault, type MirroredHeader, mirroredHeadersIn } from '../../model/mirrored-headers.ts';
import { type ListName, lists } from '../../revisions/decode-lists.ts';
import type { ExposedPart, PartReference } from '../contract.ts';
import type { ExposedNames } from '../names/exposed-names.ts';
import type { ScreenedPart } from '../policy/withheld-part.ts';

/** A part that callers do not see, and why. */
export interface WithheldPart extends PartReference {
  readonly name: string;
  readonly why: string;
  /** Until the list of another upstream is known. */
  readonly isForNow?: true;
}

export interface PartTable {
  /** In the order of the upstreams, then of their lists. */
  readonly parts: readonly ExposedPart[];
  readonly byName: ReadonlyMap<string, ExposedPart>;
  /** By name, for tools whose calls must repeat arguments as headers. */
  readonly mirrored: ReadonlyMap<string, readonly MirroredHeader[]>;
  readonly withheld: readonly WithheldPart[];
  /** The upstreams whose lists are not shown now. */
  readonly hidden: readonly string[];
}

export interface ListedUpstream {
  readonly label: string;
  readonly items: readonly JsonObject[];
  /** Where its list cannot be shown now: whether this name can be in it. */
  readonly mayClaim?: ((name: string) => boolean) | undefined;
  /** Whether the view has this part of it. */
  includes(key: string): boolean;
  /** The part as callers see it, or why they do not. */
  screen(part: ExposedPart): ScreenedPart;
}

export function buildTable(list: ListName, upstreams: readonly ListedUpstream[], names: ExposedNames): PartTable {
  const { kind, key: keyMember } = lists[list];
  const claims = new Map<string, ExposedPart[]>();
  const withheld: WithheldPart[] = [];
  for (const { label, items, includes, screen } of upstreams) {
    for (const item of items) {
      const key = String(item[keyMember]);
      if (!includes(key)) continue;
      const part: ExposedPart = { label, kind, key, name: names.nameOf(label, kind, key), definition: item };
      const why = partFault(part);
      const screened = why === undefined ? screen(part) : { withheld: why };
      if ('withheld' in screened) withheld.push(toWithheld(part, screened.withheld));
      else claims.set(part.name, [...(claims.get(part.name) ?? []), screened.part]);
    }
  }
  const byName = new Map<string, ExposedPart>();
  for (const [name, parts] of claims) {
    const preferred = names.preferred(name);
    const winner = parts.length === 1 ? parts[0] : parts.find(({ label }) => label === preferred);
    const rival = preferred === winner?.label ? undefined : upstreams.find(({ mayClaim }) => mayClaim?.(name));
    if (winner !== undefined && rival === undefined) byName.set(name, winner);
    else if (winner !== undefined)
      withheld.push({ ...toWithheld(winner, rivalFault(winner, rival?.label)), isForNow: true });
    for (const part of parts) if (part !== winner) withheld.push(toWithheld(part, claimFault(part, parts)));
  }
  const parts = [...byName.values()];
  const hidden = upstreams.flatMap(({ label, mayClaim }) => (mayClaim === undefined ? [] : [label]));
  return { parts, byName, mirrored: mirroredOf(parts), withheld, hidden };
}

function mirroredOf(parts: readonly ExposedPart[]): PartTable['mirrored'] {
  const all = parts.map(({ kind, name, definition: { inputSchema } }): [string, readonly MirroredHeader[]] => [
    name,
    kind === 'tool' && isObject(inputSchema) ? mirroredHeadersIn(inputSchema) : [],
  ]);
  return new Map(all.filter(([, headers]) => headers.length > 0));
}

const toWithheld = ({ label, kind, key, name }: ExposedPart, why: string): WithheldPart => ({
  label,
  kind,
  key,
  name,
  why,
});

const rivalFault = ({ name }: ExposedPart, label: string | undefined): string =>
  `"${name}" can also be a name of ${label}, whose list is not known now`;

function claimFault({ label, name }: ExposedPart, claims: readonly ExposedPart[]): string {
  const others = claims.map((one) => one.label).filter((one) => one !== label);
  return `"${name}" is also a name of ${[...new Set(others)].join(', ') || 'the same upstream'}`;
}

/** What the specification lets a tool be called. */
const toolName = /^[\w.-]{1,128}$/;

function partFault({ kind, name, definition }: ExposedPart): string | undefined {
  if (kind !== 'tool') return undefined;
  if (!toolName.test(name)) return 'its name has characters that names of tools cannot have, or too many';
  const schema = definition['inputSchema'];
  return isObject(schema) ? headerFault(schema) : undefined;
}
