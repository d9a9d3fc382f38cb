/** Content of tools, resources and prompts: text to be printed, and bytes to be saved. */
import { fromBase64 } from '../../model/base64.ts';
import type { Content, ResourceContents } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import { type Printer, sanitize } from '../printer.ts';
import type { Shell } from '../shell.ts';
import type { OutputTarget, SavedPart } from './output-target.ts';

/** What is in a block, apart from its wrapping. */
type BlockPiece =
  | { readonly sort: 'text'; readonly text: string; readonly heading?: string }
  | { readonly sort: 'bytes'; readonly part: SavedPart }
  | { readonly sort: 'broken'; readonly what: string };

export interface ShowContentOptions {
  readonly shell: Shell;
  readonly print: Printer;
  readonly output: OutputTarget | undefined;
  /** What parts are called that have no name of their own. */
  readonly called: string;
}

/** Prints text, saves bytes, and says what was saved or could be. Returns the paths. */
export async function showContent(
  content: readonly Content[],
  showing: ShowContentOptions,
): Promise<readonly string[]> {
  const { print, shell, output } = showing;
  const pieces = content.map((block) => pieceOf(block, showing.called));
  for (const piece of pieces) {
    if (piece.sort === 'text') {
      if (piece.heading !== undefined) print.line(print.style('bold', printable(piece.heading)));
      printText(piece.text, { print, shell });
    } else if (piece.sort === 'broken') print.note(`${printable(piece.what)}: the server sent no valid base64`);
    else if (output === undefined) print.note(`${describePart(piece.part)}; use --out to save it`);
  }
  const parts = pieces.flatMap((piece) => (piece.sort === 'bytes' ? [piece.part] : []));
  return output === undefined ? [] : saveParts(parts, { print, output });
}

export async function saveParts(
  parts: readonly SavedPart[],
  { print, output }: { readonly print: Printer; readonly output: OutputTarget },
): Promise<readonly string[]> {
  const paths = await output.save(parts);
  for (const [at, part] of parts.entries()) print.note(`${describePart(part)}: saved as ${printable(paths[at] ?? '')}`);
  return paths;
}

/** On a terminal without anything that could drive it; elsewhere as it came, for it may be data. */
export function printText(text: string, { print, shell }: { readonly print: Printer; readonly shell: Shell }): void {
  const shown = shell.stdout.isTTY === true ? sanitize(text) : text;
  print.raw(shown.endsWith('\n') ? shown : `${shown}\n`);
}

export function bytesOf(contents: ResourceContents): SavedPart | undefined {
  const bytes = 'blob' in contents ? fromBase64(contents.blob) : undefined;
  return bytes && { called: contents.uri, mimeType: contents.mimeType, bytes };
}

/** `image/png, 12 kB` */
export const describePart = ({ mimeType = 'bytes', bytes }: SavedPart): string =>
  `${printable(mimeType)}, ${sizeText(bytes.length)}`;

function pieceOf(block: Content, called: string): BlockPiece {
  switch (block.type) {
    case 'text':
      return { sort: 'text', text: block.text };
    case 'resource_link': {
      const about = block.description ?? block.title ?? block.name;
      return { sort: 'text', text: `${block.uri}  ${about}` };
    }
    case 'resource': {
      if ('text' in block.resource) return { sort: 'text', text: block.resource.text, heading: block.resource.uri };
      const part = bytesOf(block.resource);
      return part === undefined ? { sort: 'broken', what: block.resource.uri } : { sort: 'bytes', part };
    }
    default: {
      const bytes = fromBase64(block.data);
      if (bytes === undefined) return { sort: 'broken', what: block.mimeType };
      return { sort: 'bytes', part: { called, mimeType: block.mimeType, bytes } };
    }
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const kilo = bytes / 1000;
  return kilo < 1000 ? `${Math.round(kilo)} kB` : `${(kilo / 1000).toFixed(1)} MB`;
}
