/** Text and calls of tools that come in pieces, in the order in which they began. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import type { ModelBlock } from './model.ts';

type StreamedPiece =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'tool'; id: string; name: string; input: string };

export class ReplyBlocks {
  readonly #onText: ((text: string) => void) | undefined;
  /** By the number or name that the provider gives a block. */
  readonly #pieces: Map<number | string, StreamedPiece> = new Map();

  constructor(onText: ((text: string) => void) | undefined) {
    this.#onText = onText;
  }

  text(at: number | string, more: string): void {
    const piece = this.#pieces.get(at) ?? { type: 'text', text: '' };
    if (piece.type !== 'text') return;
    piece.text += more;
    this.#pieces.set(at, piece);
    if (more !== '') this.#onText?.(more);
  }

  tool(at: number | string, { id = '', name = '', input }: { id?: string; name?: string; input: string }): void {
    const piece = this.#pieces.get(at) ?? { type: 'tool', id: '', name: '', input: '' };
    if (piece.type !== 'tool') return;
    piece.id += id;
    piece.name += name;
    piece.input += input;
    this.#pieces.set(at, piece);
  }

  /** A call whose end was cut off is left out where the limit cut it; elsewhere it is a fault. */
  blocks(cut: boolean): readonly ModelBlock[] | string {
    const blocks: ModelBlock[] = [];
    for (const piece of this.#pieces.values()) {
      if (piece.type === 'text') {
        if (piece.text !== '') blocks.push(piece);
        continue;
      }
      const input = argumentsIn(piece.input);
      if (input !== undefined && piece.id !== '' && piece.name !== '')
        blocks.push({ type: 'tool_use', id: piece.id, name: piece.name, input });
      else if (!cut) return 'it called a tool with arguments that are no JSON object';
    }
    return blocks;
  }
}

/** A tool without arguments may be called with nothing at all. */
function argumentsIn(text: string): JsonObject | undefined {
  return text.trim() === '' ? {} : parseObject(text);
}
