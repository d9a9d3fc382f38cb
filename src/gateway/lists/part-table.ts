/** Merges the lists of all upstreams of a view into one table by exposed name. A name that two upstreams claim is withheld from both. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { headerFault, type MirroredHeader, mirroredHeadersIn } from '../../model/mirrored-headers.ts';
import { type ListName, lists } from '../../revisions/decode-lists.ts';
import type { ExposedPart, PartReference } from '../contract.ts';
import type { ExposedNames } from '../names/exposed-names.ts';
import type { ScreenedPart } from '../policy/withheld-part.ts';

export interface WithheldPart extends PartReference {
  readonly name: string;
  readonly why: string;
  /** Withheld only until another upstream's list is known. */
  readonly isForNow?: true;
}

export interface PartTable {
  /** Ordered by upstream, then by position in its list. */
  readonly parts: readonly ExposedPart[];
  readonly byName: ReadonlyMap<string, ExposedPart>;
  /** Tools whose calls must repeat arguments as HTTP headers, by name. */
  readonly mirrored: ReadonlyMap<string, readonly MirroredHeader[]>;
  readonly withheld: readonly WithheldPart[];
  /** Upstreams whose lists are currently missing. */
  readonly hidden: readonly string[];
  /** Encoded lists of all callers who see the same parts in the same revision, by both. */
  readonly written: Map<string, JsonObject>;
}

export interface ListedUpstream {
  readonly label: string;
  readonly items: readonly JsonObject[];
  /** Set if its list is missing: whether this name could be in it. */
  readonly mayClaim?: ((name: string) => boolean) | undefined;
  /** Whether the view selects this part. */
  includes(key: string): boolean;
  /** Returns the part as callers see it, or why it is withheld. */
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
    if (winner !== undefined && rival !== undefined)
      withheld.push({ ...toWithheld(winner, rivalFault(winner, rival)), isForNow: true });
    else if (winner !== undefined) byName.set(name, winner);
    for (const part of parts) if (part !== winner) withheld.push(toWithheld(part, claimFault(part, parts)));
  }
  const parts = [...byName.values()];
  const hidden = upstreams.flatMap(({ label, mayClaim }) => (mayClaim === undefined ? [] : [label]));
  return { parts, byName, mirrored: mirroredOf(parts), withheld, hidden, written: new Map() };
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

const rivalFault = ({ name }: ExposedPart, { label }: ListedUpstream): string =>
  `"${name}" can also be a name of ${label}, whose list is not known now`;

function claimFault({ label, name }: ExposedPart, claims: readonly ExposedPart[]): string {
  const others = claims.map((one) => one.label).filter((one) => one !== label);
  return `"${name}" is also a name of ${[...new Set(others)].join(', ') || 'the same upstream'}`;
}

/** Tool names that the specification allows. */
const toolName = /^[\w.-]{1,128}$/;

function partFault({ kind, name, definition }: ExposedPart): string | undefined {
  if (kind !== 'tool') return undefined;
  if (!toolName.test(name)) return 'its name has characters that names of tools cannot have, or too many';
  const schema = definition['inputSchema'];
  return isObject(schema) ? headerFault(schema) : undefined;
}
