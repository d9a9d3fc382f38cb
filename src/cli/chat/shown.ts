/** What servers return, as lines for a terminal. */
import type { Content, ResourceContents } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import { sanitize } from '../printer.ts';

/** As much of a result as is shown while a model works. */
const GLIMPSE = 200;

export const contentLines = (content: readonly Content[]): readonly string[] =>
  content.flatMap((block) => sanitize(blockText(block)).split('\n'));

export const resourceLines = (contents: readonly ResourceContents[]): readonly string[] =>
  contents.flatMap((one) => sanitize(resourceText(one)).split('\n'));

/** The beginning of a text, on one line. */
export function shorten(text: string, width: number = GLIMPSE): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

function blockText(block: Content): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${sizeText(block.data)}]`;
    case 'resource_link':
      return `[${block.uri}: ${block.title ?? block.name}]`;
    case 'resource':
      return resourceText(block.resource);
  }
}

const resourceText = (resource: ResourceContents): string =>
  'text' in resource
    ? resource.text
    : `[${resource.uri}, ${resource.mimeType ?? 'binary'}, ${sizeText(resource.blob)}]`;

/** Of what is written as base64. */
const sizeText = (base64: string): string => `${Math.ceil((base64.length * 3) / 4).toLocaleString('en')} bytes`;
