/** Assembles a reply from the chunks of the Chat Completions API. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ModelReply } from './model.ts';
import { ReplyBlocks } from './reply-blocks.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
  ['tool_calls', 'toolUse'],
]);

export class OpenaiStream {
  readonly #blocks: ReplyBlocks;
  #model: string | undefined;
  #stopReason: string | undefined;
  #usage: ModelReply['usage'];
  /** The id of the last tool call, by the provider's index. */
  readonly #ids: Map<unknown, string> = new Map();

  constructor(onText: ((text: string) => void) | undefined) {
    this.#blocks = new ReplyBlocks(onText);
  }

  addChunk({ model, choices, usage }: JsonObject): void {
    if (typeof model === 'string' && model !== '') this.#model = model;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (isObject(choice)) this.#addChoice(choice);
    if (!isObject(usage)) return;
    const { prompt_tokens: input, completion_tokens: output } = usage;
    if (typeof input === 'number' && typeof output === 'number')
      this.#usage = { inputTokens: input, outputTokens: output };
  }

  /** The complete reply, or why it is invalid. */
  reply(model: string): ModelReply | string {
    if (this.#stopReason === undefined) return 'its response ended early';
    const content = this.#blocks.finish(this.#stopReason === 'maxTokens');
    if (typeof content === 'string') return content;
    // Some providers send `stop` after a tool call.
    const uses = content.some(({ type }) => type === 'tool_use');
    const stopReason = uses && this.#stopReason === 'endTurn' ? 'toolUse' : this.#stopReason;
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    return { model: this.#model ?? model, content, stopReason, ...usage };
  }

  #addChoice({ delta, finish_reason: reason }: JsonObject): void {
    if (typeof reason === 'string') this.#stopReason = reasons.get(reason) ?? reason;
    if (!isObject(delta)) return;
    const { content, tool_calls: calls } = delta;
    if (typeof content === 'string') this.#blocks.addText('text', content);
    for (const call of Array.isArray(calls) ? calls : []) if (isObject(call)) this.#addCall(call);
  }

  /**
   * The first chunk of a call has its id and name, later ones more of its arguments. Some providers send no index, or 0 for every call, and
   * some send an id with every chunk, even another one, so a name with another id begins a new call.
   */
  #addCall({ index, id, function: called }: JsonObject): void {
    const { name, arguments: input } = isObject(called) ? called : {};
    const known = this.#ids.get(index);
    const isNamed = typeof name === 'string' && name !== '';
    const isFirst = typeof id === 'string' && id !== '' && (known === undefined || (isNamed && id !== known));
    if (isFirst) this.#ids.set(index, id);
    this.#blocks.addToolCall(this.#ids.get(index) ?? 'tool', {
      ...(isFirst ? { id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      input: typeof input === 'string' ? input : '',
    });
  }
}
