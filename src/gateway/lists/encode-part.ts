/** Encodes a part for a list, in the caller's revision. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/contract.ts';
import { encodePrompt, encodeResource, encodeTemplate, encodeTool } from '../../revisions/encode.ts';
import type { ExposedPart } from '../contract.ts';
import type { ExposedNames } from '../names/exposed-names.ts';

const encoders = {
  tool: encodeTool,
  prompt: encodePrompt,
  resource: encodeResource,
  template: encodeTemplate,
} as const;
const nameMembers = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

export interface EncodingContext {
  readonly revision: Revision;
  readonly names: ExposedNames;
  readonly sharedTitles: ReadonlySet<string>;
  /** The upstream's origin; undefined for a command. */
  originOf(label: string): string | undefined;
}

export function encodePart(part: ExposedPart, context: EncodingContext): JsonObject {
  const { names, sharedTitles } = context;
  const { vocabulary } = context.revision;
  const { kind, name, label, definition } = part;
  const { _meta: meta, title, icons } = definition;
  const shown = {
    ...definition,
    [nameMembers[kind]]: name,
    ...(meta === undefined ? {} : { _meta: names.wrapPage(label, meta) }),
    ...(typeof title === 'string' && sharedTitles.has(title) ? { title: `${title} (${label})` } : {}),
    ...(Array.isArray(icons) ? { icons: icons.filter((icon) => isShown(icon, context.originOf(label))) } : {}),
  };
  return encoders[kind](vocabulary, shown);
}

/** Titles that several upstreams use among the parts that a caller sees; their label is appended. */
export function sharedTitlesOf(parts: readonly ExposedPart[]): ReadonlySet<string> {
  const labels = new Map<unknown, string>();
  const shared = new Set<string>();
  for (const { label, definition } of parts) {
    const { title } = definition;
    if (typeof title !== 'string') continue;
    if ((labels.get(title) ?? label) !== label) shared.add(title);
    labels.set(title, label);
  }
  return shared;
}

/** Drops icons from other origins, which would reveal to them who views the list. */
function isShown(icon: unknown, origin: string | undefined): boolean {
  const src = isObject(icon) ? icon['src'] : undefined;
  if (typeof src !== 'string') return false;
  if (/^data:/i.test(src)) return true;
  return origin?.startsWith('https:') === true && URL.canParse(src) && new URL(src).origin === origin;
}
