/** Assembles a reply from the event stream of the Anthropic Messages API. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ModelReply } from './model.ts';
import { ReplyBlocks } from './reply-blocks.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
  ['tool_use', 'toolUse'],
]);

export class AnthropicStream {
  readonly #blocks: ReplyBlocks;
  #model: string | undefined;
  #stopReason: string | undefined;
  #input = 0;
  #output = 0;
  #ended = false;

  constructor(onText: ((text: string) => void) | undefined) {
    this.#blocks = new ReplyBlocks(onText);
  }

  /** Skips unknown events: the API reserves the right to add new ones. */
  addEvent(event: JsonObject): void {
    const { type, message, delta, usage } = event;
    if (type === 'message_start' && isObject(message)) {
      if (typeof message['model'] === 'string') this.#model = message['model'];
      this.#noteUsage(message['usage']);
    } else if (type === 'content_block_start') this.#beginBlock(event);
    else if (type === 'content_block_delta') this.#continueBlock(event);
    else if (type === 'message_delta') {
      const reason = isObject(delta) ? delta['stop_reason'] : undefined;
      if (typeof reason === 'string') this.#stopReason = reasons.get(reason) ?? reason;
      this.#noteUsage(usage);
    } else if (type === 'message_stop') this.#ended = true;
  }

  /** The complete reply, or why it is invalid. */
  reply(model: string): ModelReply | string {
    if (!this.#ended || this.#stopReason === undefined) return 'its response ended early';
    const content = this.#blocks.finish(this.#stopReason === 'maxTokens');
    if (typeof content === 'string') return content;
    const usage = { inputTokens: this.#input, outputTokens: this.#output };
    return { model: this.#model ?? model, content, stopReason: this.#stopReason, usage };
  }

  #beginBlock({ index, content_block: block }: JsonObject): void {
    if (typeof index !== 'number' || !isObject(block)) return;
    const { type, id, name, text } = block;
    if (type === 'text' && typeof text === 'string') this.#blocks.addText(index, text);
    if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
      this.#blocks.addToolCall(index, { id, name, input: '' });
  }

  #continueBlock({ index, delta }: JsonObject): void {
    if (typeof index !== 'number' || !isObject(delta)) return;
    const { type, text, partial_json: json } = delta;
    if (type === 'text_delta' && typeof text === 'string') this.#blocks.addText(index, text);
    if (type === 'input_json_delta' && typeof json === 'string') this.#blocks.addToolCall(index, { input: json });
  }

  #noteUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const { input_tokens: input, output_tokens: output } = usage;
    // Tokens that are written to the cache or read from it are reported apart from the others.
    const cached = [usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
    if (typeof input === 'number') this.#input = [input, ...cached].reduce<number>(addCount, 0);
    if (typeof output === 'number') this.#output = output;
  }
}

const addCount = (sum: number, count: unknown): number => sum + (typeof count === 'number' ? count : 0);
