/** A part as a list shows it, in the words of the caller's revision. */
import type { JsonObject } from '../../jsonrpc/message.ts';
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

export function encodePart(part: ExposedPart, { vocabulary }: Revision, names: ExposedNames): JsonObject {
  const { kind, name, label, definition } = part;
  const meta = definition['_meta'];
  const shown = {
    ...definition,
    [nameMembers[kind]]: name,
    ...(meta === undefined ? {} : { _meta: names.wrapPage(label, meta) }),
  };
  return encoders[kind](vocabulary, shown);
}
