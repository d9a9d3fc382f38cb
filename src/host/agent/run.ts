/** The agent loop: sends messages and tools to the model, runs the calls it returns, and repeats until it is done or a limit is reached. */
import { setMaxListeners } from 'node:events';
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { joinSignals, untilAborted } from '../../peer/wait.ts';
import type { Model, ModelMessage, ModelReply } from '../models/model.ts';
import type { ToolUse } from './agent-call.ts';
import type { ModelConversation } from './conversation.ts';
import { EventQueue } from './event-queue.ts';
import type { AgentEvent, RunLimit } from './events.ts';
import type { ModelTools, TurnTools } from './model-tools.ts';
import { lastTextOf, textOf } from './run-input.ts';
import { systemPrompt } from './system-prompt.ts';
import { runToolCall, type ToolCallOptions } from './tool-call.ts';

/** Options and limits of `session.run`. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** The name of one of the host's models. By default the first. */
  readonly model?: string;
  /** Put in front of the host's own system prompt. */
  readonly system?: string;
  /** Maximum number of model replies. Default: 20. */
  readonly maxTurns?: number;
  /** Maximum number of tool calls. Default: 50. */
  readonly maxCalls?: number;
  /** Maximum tokens of the run, as reported by the provider. Default: 200,000. */
  readonly maxTokens?: number;
  /** Maximum tokens of one reply. Default: 4,096. */
  readonly replyTokens?: number;
  /** Timeout of the run, including questions to the user. Default: ten minutes. */
  readonly timeoutMs?: number;
}

const defaults = { maxTurns: 20, maxCalls: 50, maxTokens: 200_000, replyTokens: 4_096, timeoutMs: 600_000 } as const;

export interface AgentContext extends Pick<ToolCallOptions, 'call'> {
  readonly model: Model;
  readonly tools: ModelTools;
  readonly conversation: ModelConversation;
  /** Returns the context that views provide to the model, fenced. */
  readonly viewContexts: () => readonly string[];
  readonly clock: Clock;
}

/** Runs the agent on new messages and yields its events. Ending the iteration cancels the model request and all calls. */
export async function* runAgent(
  context: AgentContext,
  input: readonly ModelMessage[],
  options: RunOptions,
): AsyncGenerator<AgentEvent, void> {
  context.conversation.begin();
  const run = new AgentLoop(context, options);
  const working = run.work(input);
  try {
    yield* run.events;
  } finally {
    run.cancel();
    await working;
    context.conversation.end();
  }
}

type Done = Extract<AgentEvent, { type: 'done' }>;

class AgentLoop {
  readonly events: EventQueue = new EventQueue();
  readonly #context: AgentContext;
  readonly #options: RunOptions & typeof defaults;
  readonly #abort: AbortController = new AbortController();
  readonly #signal: AbortSignal;
  #messages: ModelMessage[];
  #input = 0;
  #output = 0;
  #calls = 0;
  #timedOut = false;

  constructor(context: AgentContext, options: RunOptions) {
    this.#context = context;
    this.#options = { ...defaults, ...options } as RunOptions & typeof defaults; // the defaults fill every gap
    this.#signal = joinSignals(this.#abort.signal, options.signal);
    // Every call in progress adds a listener; avoids MaxListenersExceededWarning.
    setMaxListeners(0, this.#signal);
    this.#messages = [...context.conversation.messages];
  }

  cancel(): void {
    this.#abort.abort(
      new McpError('MCP_CANCELLED', { method: 'A run', why: 'the application stopped reading its events' }),
    );
  }

  /** Never rejects: a failure becomes the last event. */
  async work(input: readonly ModelMessage[]): Promise<void> {
    const stop = this.#context.clock.after(this.#options.timeoutMs, () => {
      this.#timedOut = true;
      this.#abort.abort(new McpError('MCP_CANCELLED', { method: 'A run', why: 'it exceeded its timeout' }));
    });
    try {
      this.#signal.throwIfAborted();
      this.#messages.push(...input);
      this.events.push(await this.#turns(lastTextOf(input)));
    } catch (error) {
      this.events.push(this.#failureEvent(error));
    } finally {
      stop();
      this.events.end();
    }
  }

  async #turns(query: string): Promise<Done> {
    let text = '';
    for (let turn = 0; turn < this.#options.maxTurns; turn++) {
      // Lists can wait for the user, and models of applications can ignore the signal: neither delays the end of the run.
      const offer = await untilAborted(this.#context.tools.offer(query, this.#signal), this.#signal);
      const reply = await this.#askModel(offer);
      text = textOf(reply.content);
      const uses = reply.content.filter((block) => block.type === 'tool_use');
      if (uses.length === 0) {
        // Providers reject a conversation with an empty message, which models can send after a tool result.
        const isEmpty = reply.content.every((block) => block.type === 'text' && block.text === '');
        this.#keep(...(isEmpty ? [] : [{ role: 'assistant', content: reply.content } as const]));
        return { type: 'done', text, stopReason: reply.stopReason };
      }
      if (this.#input + this.#output >= this.#options.maxTokens) return limitReached(text, 'tokens');
      this.#calls += uses.length;
      if (this.#calls > this.#options.maxCalls) return limitReached(text, 'calls');
      await this.#callTools(reply, uses);
    }
    return limitReached(text, 'turns');
  }

  async #askModel({ tools, hints }: TurnTools): Promise<ModelReply> {
    const { model, viewContexts } = this.#context;
    const request = {
      model: this.#options.model ?? model.models[0]?.name ?? '',
      system: systemPrompt(this.#options.system, hints, viewContexts()),
      messages: [...this.#messages],
      maxTokens: this.#options.replyTokens,
      ...(tools.length === 0 ? {} : { tools, toolChoice: 'auto' as const }),
    };
    const onText = (text: string): void => this.events.push({ type: 'text', text });
    const reply = await untilAborted(model.reply(request, { signal: this.#signal, onText }), this.#signal);
    this.#signal.throwIfAborted();
    this.#input += tokensOf(reply.usage?.inputTokens);
    this.#output += tokensOf(reply.usage?.outputTokens);
    this.events.push({ type: 'usage', inputTokens: this.#input, outputTokens: this.#output });
    return reply;
  }

  /** Runs the calls in parallel; results keep the order of the calls. */
  async #callTools(reply: ModelReply, uses: readonly ToolUse[]): Promise<void> {
    const { call, tools } = this.#context;
    const emit = (event: AgentEvent): void => this.events.push(event);
    const options: ToolCallOptions = { signal: this.#signal, tools, call, emit };
    const results = await Promise.all(uses.map((use) => runToolCall(use, options)));
    this.#keep({ role: 'assistant', content: reply.content }, { role: 'user', content: results });
  }

  #keep(...messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
    this.#context.conversation.keep(this.#messages);
  }

  #failureEvent(error: unknown): AgentEvent {
    if (this.#timedOut) return limitReached('', 'time');
    if (!this.#signal.aborted)
      return { type: 'error', error: error instanceof Error ? error : new Error(String(error)) };
    const reason: unknown = this.#signal.reason;
    if (reason instanceof McpError) return { type: 'error', error: reason };
    const details = { method: 'A run', why: 'its signal was aborted' };
    return { type: 'error', error: new McpError('MCP_CANCELLED', details, { cause: reason }) };
  }
}

const limitReached = (text: string, limit: RunLimit): Done => ({ type: 'done', text, stopReason: 'limit', limit });

/** Ignores NaN and infinity: with NaN in the sum, `maxTokens` would never be reached. */
const tokensOf = (reported = 0): number => (Number.isFinite(reported) ? Math.max(0, reported) : 0);
