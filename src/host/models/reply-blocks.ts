/** Assembles streamed pieces of text and tool calls into blocks, in the order of their first pieces. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import type { ModelBlock } from './model.ts';

type StreamedPiece =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'tool'; id: string; name: string; input: string };

export class ReplyBlocks {
  readonly #onText: ((text: string) => void) | undefined;
  /** By the provider's index of the block, or a fixed name. */
  readonly #pieces: Map<number | string, StreamedPiece> = new Map();

  constructor(onText: ((text: string) => void) | undefined) {
    this.#onText = onText;
  }

  addText(at: number | string, more: string): void {
    const piece = this.#pieces.get(at) ?? { type: 'text', text: '' };
    if (piece.type !== 'text') return;
    piece.text += more;
    this.#pieces.set(at, piece);
    if (more !== '') this.#onText?.(more);
  }

  addToolCall(at: number | string, { id = '', name = '', input }: { id?: string; name?: string; input: string }): void {
    const piece = this.#pieces.get(at) ?? { type: 'tool', id: '', name: '', input: '' };
    if (piece.type !== 'tool') return;
    piece.id += id;
    piece.name += name;
    piece.input += input;
    this.#pieces.set(at, piece);
  }

  /** The blocks, or a fault. An incomplete tool call is a fault, but is dropped if the token limit cut the reply. */
  finish(isCut: boolean): readonly ModelBlock[] | string {
    const blocks: ModelBlock[] = [];
    for (const piece of this.#pieces.values()) {
      if (piece.type === 'text') {
        if (piece.text !== '') blocks.push(piece);
        continue;
      }
      const input = argumentsIn(piece.input);
      if (input !== undefined && piece.id !== '' && piece.name !== '')
        blocks.push({ type: 'tool_use', id: piece.id, name: piece.name, input });
      else if (!isCut) return 'it called a tool with arguments that are not a JSON object';
    }
    return blocks;
  }
}

/** Providers can send an empty text for a call without arguments. */
function argumentsIn(text: string): JsonObject | undefined {
  return text.trim() === '' ? {} : parseObject(text);
}
