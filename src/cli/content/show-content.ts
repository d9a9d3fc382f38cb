/** Shows content blocks of tools and prompts: prints text, and saves binary data. */
import { fromBase64 } from '../../model/base64.ts';
import type { Content, ResourceContents } from '../../model/content.ts';
import { printable, printableLines } from '../../model/printable.ts';
import type { Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';
import type { OutputTarget, SavedPart } from './output-target.ts';

/** Destination of rendered results: the output of a command, or a chat. */
export interface ContentSink {
  /** Untrusted text of a server; the sink sanitizes it. */
  text(text: string): void;
  /** A trusted line. */
  line(text: string): void;
  note(text: string): void;
  readonly style: Printer['style'];
}

export interface ShowContentOptions {
  readonly sink: ContentSink;
  readonly output?: OutputTarget | undefined;
  /** File name for parts without a name. */
  readonly name: string;
  /** Advice on how to save binary data. */
  readonly saveHint?: string;
}

/** Sanitizes text on a terminal. In a pipe, text is data and passes unchanged. */
export const commandSink = ({ print, shell }: { readonly print: Printer; readonly shell: Shell }): ContentSink => ({
  text(text) {
    const shown = shell.stdout.isTTY === true ? printableLines(text) : text;
    print.raw(shown.endsWith('\n') ? shown : `${shown}\n`);
  },
  line: (text) => print.line(text),
  note: (text) => print.note(text),
  style: (...given) => print.style(...given),
});

/** The payload of a content block. */
type BlockPiece =
  | { readonly sort: 'text'; readonly text: string; readonly heading?: string }
  | { readonly sort: 'bytes'; readonly part: SavedPart }
  | { readonly sort: 'broken'; readonly what: string };

/** Prints text, and saves binary data or notes that it can be saved. Returns the paths. */
export async function showContent(
  content: readonly Content[],
  options: ShowContentOptions,
): Promise<readonly string[]> {
  const { sink, output, saveHint } = options;
  const pieces = content.map((block) => pieceOf(block, options.name));
  for (const piece of pieces) {
    if (piece.sort === 'text') {
      if (piece.heading !== undefined) sink.line(sink.style('bold', printable(piece.heading)));
      sink.text(piece.text);
    } else if (piece.sort === 'broken') sink.note(`${printable(piece.what)}: the server sent invalid base64`);
    else if (output === undefined)
      sink.note(`${describePart(piece.part)}${saveHint === undefined ? '' : `; ${saveHint}`}`);
  }
  const parts = pieces.flatMap((piece) => (piece.sort === 'bytes' ? [piece.part] : []));
  return output === undefined ? [] : saveParts(parts, { sink, output });
}

export async function saveParts(
  parts: readonly SavedPart[],
  { sink, output }: { readonly sink: ContentSink; readonly output: OutputTarget },
): Promise<readonly string[]> {
  const paths = await output.save(parts);
  for (const [at, part] of parts.entries()) sink.note(`${describePart(part)}: saved as ${printable(paths[at] ?? '')}`);
  return paths;
}

export function bytesOf(contents: ResourceContents): SavedPart | undefined {
  const bytes = 'blob' in contents ? fromBase64(contents.blob) : undefined;
  return bytes && { name: contents.uri, mimeType: contents.mimeType, bytes };
}

/** `image/png, 12 kB` */
export const describePart = ({ mimeType = 'bytes', bytes }: SavedPart): string =>
  `${printable(mimeType)}, ${sizeText(bytes.length)}`;

function pieceOf(block: Content, name: string): BlockPiece {
  switch (block.type) {
    case 'text':
      return { sort: 'text', text: block.text };
    case 'resource_link':
      return { sort: 'text', text: `${block.uri}  ${block.description ?? block.title ?? block.name}` };
    case 'resource': {
      if ('text' in block.resource) return { sort: 'text', text: block.resource.text, heading: block.resource.uri };
      const part = bytesOf(block.resource);
      return part === undefined ? { sort: 'broken', what: block.resource.uri } : { sort: 'bytes', part };
    }
    default: {
      const bytes = fromBase64(block.data);
      if (bytes === undefined) return { sort: 'broken', what: block.mimeType };
      return { sort: 'bytes', part: { name, mimeType: block.mimeType, bytes } };
    }
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const kilo = bytes / 1000;
  return kilo < 1000 ? `${Math.round(kilo)} kB` : `${(kilo / 1000).toFixed(1)} MB`;
}
