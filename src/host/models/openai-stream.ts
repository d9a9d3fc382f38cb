/** The chunks of one answer of a chat completions API, put together. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ModelReply } from './model.ts';
import { ReplyBlocks } from './reply-blocks.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
  ['tool_calls', 'toolUse'],
]);

export class OpenaiStream {
  readonly #pieces: ReplyBlocks;
  #model: string | undefined;
  #stopReason: string | undefined;
  #usage: ModelReply['usage'];

  constructor(onText: ((text: string) => void) | undefined) {
    this.#pieces = new ReplyBlocks(onText);
  }

  take({ model, choices, usage }: JsonObject): void {
    if (typeof model === 'string' && model !== '') this.#model = model;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (isObject(choice)) this.#choice(choice);
    if (!isObject(usage)) return;
    const { prompt_tokens: input, completion_tokens: output } = usage;
    if (typeof input === 'number' && typeof output === 'number')
      this.#usage = { inputTokens: input, outputTokens: output };
  }

  /** What it came to, or what is wrong with it. */
  reply(model: string): ModelReply | string {
    if (this.#stopReason === undefined) return 'its answer broke off';
    const content = this.#pieces.blocks(this.#stopReason === 'maxTokens');
    if (typeof content === 'string') return content;
    // Some providers say `stop` where they mean a tool call.
    const uses = content.some(({ type }) => type === 'tool_use');
    const stopReason = uses && this.#stopReason === 'endTurn' ? 'toolUse' : this.#stopReason;
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    return { model: this.#model ?? model, content, stopReason, ...usage };
  }

  #choice({ delta, finish_reason: reason }: JsonObject): void {
    if (typeof reason === 'string') this.#stopReason = reasons.get(reason) ?? reason;
    if (!isObject(delta)) return;
    const { content, tool_calls: calls } = delta;
    if (typeof content === 'string') this.#pieces.text('text', content);
    for (const call of Array.isArray(calls) ? calls : []) if (isObject(call)) this.#call(call);
  }

  /** The first piece has the id and the name, the others more of the arguments. */
  #call({ index, id, function: called }: JsonObject): void {
    const { name, arguments: input } = isObject(called) ? called : {};
    this.#pieces.tool(typeof index === 'number' ? index : 0, {
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      input: typeof input === 'string' ? input : '',
    });
  }
}
