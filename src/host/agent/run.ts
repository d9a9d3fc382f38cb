/** An agent: a model that is given a prompt and tools, and works until it is done, called off, or at a limit. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Model, ModelBlock, ModelMessage, ModelReply } from '../models/model.ts';
import type { ModelConversation } from './conversation.ts';
import { EventQueue } from './event-queue.ts';
import type { AgentEvent, RunLimit } from './events.ts';
import { runToolCall, type ToolCallOptions } from './tool-call.ts';
import type { Toolbox, TurnTools } from './toolbox.ts';
import { systemPrompt } from './untrusted.ts';

/** How far an agent may go. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** One of the host's models; the first unless said otherwise. */
  readonly model?: string;
  /** What the application tells the model before anything else. */
  readonly system?: string;
  /** How often the model is asked. 20. */
  readonly maxTurns?: number;
  /** Calls of tools, of the whole run. 50. */
  readonly maxCalls?: number;
  /** What the run may cost, as far as the provider says. 200,000. */
  readonly maxTokens?: number;
  /** The longest single answer of the model. 4,096. */
  readonly replyTokens?: number;
  /** How long it may take, the user's thinking included. Ten minutes. */
  readonly timeoutMs?: number;
}

const defaults = { maxTurns: 20, maxCalls: 50, maxTokens: 200_000, replyTokens: 4_096, timeoutMs: 600_000 } as const;

export interface AgentContext extends Pick<ToolCallOptions, 'call' | 'asks'> {
  readonly model: Model;
  readonly toolbox: Toolbox;
  readonly conversation: ModelConversation;
  readonly clock: Clock;
}

/** Leaving the loop that reads this calls everything off that is under way. */
export async function* runAgent(
  context: AgentContext,
  prompt: string,
  options: RunOptions,
): AsyncGenerator<AgentEvent, void> {
  context.conversation.begin();
  const run = new AgentRun(context, options);
  const working = run.work(prompt);
  try {
    yield* run.events;
  } finally {
    run.callOff();
    await working;
    context.conversation.end();
  }
}

type Done = Extract<AgentEvent, { type: 'done' }>;

class AgentRun {
  readonly events: EventQueue<AgentEvent> = new EventQueue();
  readonly #context: AgentContext;
  readonly #options: RunOptions & typeof defaults;
  readonly #over: AbortController = new AbortController();
  readonly #signal: AbortSignal;
  #messages: ModelMessage[];
  #input = 0;
  #output = 0;
  #calls = 0;
  #late = false;

  constructor(context: AgentContext, options: RunOptions) {
    this.#context = context;
    this.#options = { ...defaults, ...options } as RunOptions & typeof defaults; // the same members, none missing
    const { signal } = options;
    this.#signal = signal === undefined ? this.#over.signal : AbortSignal.any([this.#over.signal, signal]);
    this.#messages = [...context.conversation.messages];
  }

  callOff(): void {
    this.#over.abort(new McpError('MCP_CANCELLED', { method: 'A run', why: 'nobody reads its events any more' }));
  }

  /** Never rejects: how it ended is the last event. */
  async work(prompt: string): Promise<void> {
    const stop = this.#context.clock.after(this.#options.timeoutMs, () => {
      this.#late = true;
      this.#over.abort(new McpError('MCP_CANCELLED', { method: 'A run', why: 'it took too long' }));
    });
    try {
      this.#signal.throwIfAborted();
      this.#messages.push({ role: 'user', content: [{ type: 'text', text: prompt }] });
      this.events.push(await this.#turns(prompt));
    } catch (error) {
      this.events.push(this.#failed(error));
    } finally {
      stop();
      this.events.end();
    }
  }

  async #turns(prompt: string): Promise<Done> {
    let text = '';
    for (let turn = 0; turn < this.#options.maxTurns; turn++) {
      const offer = await this.#context.toolbox.open(prompt, this.#signal);
      const reply = await this.#asked(offer);
      text = textOf(reply.content);
      const uses = reply.content.filter((block) => block.type === 'tool_use');
      if (uses.length === 0) {
        this.#keep({ role: 'assistant', content: reply.content });
        return { type: 'done', text, stopReason: reply.stopReason };
      }
      if (this.#input + this.#output >= this.#options.maxTokens) return limited(text, 'tokens');
      this.#calls += uses.length;
      if (this.#calls > this.#options.maxCalls) return limited(text, 'calls');
      await this.#used(reply, uses, offer);
    }
    return limited(text, 'turns');
  }

  async #asked({ tools, hints }: TurnTools): Promise<ModelReply> {
    const { model } = this.#context;
    const request = {
      model: this.#options.model ?? model.models[0]?.name ?? '',
      system: systemPrompt(this.#options.system, hints),
      messages: [...this.#messages],
      maxTokens: this.#options.replyTokens,
      ...(tools.length === 0 ? {} : { tools, toolChoice: 'auto' as const }),
    };
    const onText = (text: string): void => this.events.push({ type: 'text', text });
    const reply = await model.reply(request, { signal: this.#signal, onText });
    this.#signal.throwIfAborted();
    this.#input += reply.usage?.inputTokens ?? 0;
    this.#output += reply.usage?.outputTokens ?? 0;
    this.events.push({ type: 'usage', inputTokens: this.#input, outputTokens: this.#output });
    return reply;
  }

  /** All at once, and told in the order in which they were asked for. */
  async #used(reply: ModelReply, uses: readonly RunToolUse[], offer: TurnTools): Promise<void> {
    const { call, asks } = this.#context;
    const emit = (event: AgentEvent): void => this.events.push(event);
    const options: ToolCallOptions = { signal: this.#signal, offer, call, asks, emit };
    const results = await Promise.all(uses.map((use) => runToolCall(use, options)));
    this.#keep({ role: 'assistant', content: reply.content }, { role: 'user', content: results });
  }

  #keep(...messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
    this.#context.conversation.keep(this.#messages);
  }

  #failed(error: unknown): AgentEvent {
    if (this.#late) return limited('', 'time');
    if (!this.#signal.aborted)
      return { type: 'error', error: error instanceof Error ? error : new Error(String(error)) };
    const reason: unknown = this.#signal.reason;
    if (reason instanceof McpError) return { type: 'error', error: reason };
    const details = { method: 'A run', why: 'its signal was aborted' };
    return { type: 'error', error: new McpError('MCP_CANCELLED', details, { cause: reason }) };
  }
}

type RunToolUse = Extract<ModelBlock, { type: 'tool_use' }>;

const limited = (text: string, limit: RunLimit): Done => ({ type: 'done', text, stopReason: 'limit', limit });

const textOf = (content: readonly ModelBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
