/** Answers sampling requests: the user reviews the prompt and then the reply before the server gets it. */
import type { QuestionContext, SampleHandlers } from '../../client/index.ts';
import { badDefinition, McpError, ToolError } from '../../errors.ts';
import { type CreateMessageParams, type CreateMessageResult, samplingFault } from '../../model/sampling.ts';
import type { Act } from '../act/act.ts';
import { maskText } from '../audit/mask-act.ts';
import type { Permit } from '../gate/gate.ts';
import type { Model, ModelReply } from '../models/model.ts';
import { warningsIn } from '../text/inspect.ts';
import { type AnswerContext, answerAct } from './answer-act.ts';
import { chooseModel } from './choose-model.ts';
import { perMinute } from './per-minute.ts';
import { samplingContextFor } from './sampling-context.ts';
import { modelRequest, roundsIn, samplingResult, textIn } from './sampling-messages.ts';
import { promptTokens } from './sampling-tokens.ts';

const PER_MINUTE = 10;
const MAX_TOKENS = 4_096;
/** Rounds with tool results in one conversation. */
const MAX_ROUNDS = 10;
/** Concurrent requests of one server. */
const MAX_AT_ONCE = 4;
/** Nesting limit for a model that calls a tool that asks a model, across all servers. */
const MAX_DEPTH = 3;

/** Limits on sampling requests of servers. */
export interface SamplingLimits {
  /** Requests per minute of each server. Default: 10. */
  readonly perMinute?: number;
  /** Upper limit for the length of a reply, in tokens, whatever a server requests. Default: 4,096. */
  readonly maxTokens?: number;
}

export interface SamplingOptions extends AnswerContext {
  readonly model: Model;
  readonly limits: SamplingLimits;
}

/** The prompt as the user reviews it. */
interface SamplingPrompt {
  readonly params: CreateMessageParams;
  readonly model: string;
  readonly carries: readonly string[];
}

export class Sampling {
  readonly #options: SamplingOptions;
  readonly #tryTake: () => boolean;
  #running = 0;

  constructor(options: SamplingOptions) {
    this.#options = options;
    this.#tryTake = perMinute(options.limits.perMinute ?? PER_MINUTE, options.clock);
  }

  readonly handlers: SampleHandlers = {
    create: (request, context) => this.#create(request, context),
    tools: true,
    context: true,
  };

  async #create(request: CreateMessageParams, asked: QuestionContext): Promise<CreateMessageResult | 'declined'> {
    if (roundsIn(request.messages) >= MAX_ROUNDS)
      throw new ToolError(`At most ${MAX_ROUNDS} rounds of tool results in a row are sent to a model`);
    const depth = this.#options.activeCalls.depthOf(this.#options.server.label);
    if (depth > MAX_DEPTH)
      throw new ToolError(`Model requests within model requests are nested ${MAX_DEPTH} deep at most`);
    if (this.#running >= MAX_AT_ONCE) throw new ToolError(`At most ${MAX_AT_ONCE} model requests run at once`);
    if (!this.#tryTake()) throw new ToolError('The model was asked too often; ask again in a minute');
    this.#running++;
    try {
      return await this.#options.activeCalls.runAtDepth(depth, () => this.#review(request, asked));
    } catch (error) {
      if (error instanceof McpError && error.code === 'MCP_DENIED') return 'declined';
      throw error;
    } finally {
      this.#running--;
    }
  }

  #review(request: CreateMessageParams, asked: QuestionContext): Promise<CreateMessageResult> {
    const { signal, task } = asked;
    const facts = answerAct(this.#options, { kind: 'sampling', name: 'request' });
    const prompt = this.#promptOf(request, facts);
    const carrying = { ...facts, carries: prompt.carries };
    const text = textOf(prompt.params);
    const tokens = prompt.params.maxTokens + promptTokens(prompt.params);
    const act: Act = { ...carrying, arguments: { ...prompt.params, model: prompt.model }, tokens };
    let spent: ModelReply['usage'];
    const run = async (permit: Permit): Promise<CreateMessageResult> => {
      const reply = await this.#options.model.reply(this.#allowedRequest(permit, prompt), { signal });
      spent = reply.usage;
      return this.#answer(samplingResult(reply), carrying, asked);
    };
    return this.#options.gate.pass(act, run, {
      signal,
      task,
      editable: true,
      warnings: [...warningsIn('The prompt', text), ...secretInText(text)],
      tokens: () => (spent === undefined ? undefined : spent.inputTokens + spent.outputTokens),
      outcome: () => 'answered',
    });
  }

  /** The server's prompt, within the host's limits. */
  #promptOf(request: CreateMessageParams, facts: Act): SamplingPrompt {
    const { server, activeCalls, gate, model, limits } = this.#options;
    const { includeContext, modelPreferences, metadata: _, ...asked } = request;
    const mayFlow = (carries: readonly string[]): boolean => gate.foresee({ ...facts, carries }) === 'allow';
    const sources = { label: server.label, session: facts.session, activeCalls, mayFlow };
    const { text, carries } = samplingContextFor(includeContext, sources);
    const system = [asked.systemPrompt, text].filter((one) => one !== undefined).join('\n\n');
    const maxTokens = Math.max(1, Math.floor(Math.min(asked.maxTokens, limits.maxTokens ?? MAX_TOKENS)));
    return {
      params: { ...asked, maxTokens, ...(system === '' ? {} : { systemPrompt: system }) },
      model: chooseModel(model.models, modelPreferences)?.name ?? '',
      carries,
    };
  }

  /** Applies the user's changes, which cannot exceed the token limit or name an unknown model. */
  #allowedRequest(permit: Permit, { params, model }: SamplingPrompt): ReturnType<typeof modelRequest> {
    const { model: wanted, ...changed } = permit.arguments;
    const asked = changed as unknown as CreateMessageParams; // checked by samplingFault
    const fault = samplingFault(asked);
    if (fault !== undefined) throw badDefinition('The changed prompt', fault);
    const known = this.#options.model.models.find(({ name }) => name === wanted);
    return modelRequest(known?.name ?? model, { ...asked, maxTokens: Math.min(asked.maxTokens, params.maxTokens) });
  }

  #answer(result: CreateMessageResult, facts: Act, { signal, task }: QuestionContext): Promise<CreateMessageResult> {
    const act: Act = { ...facts, name: 'answer', arguments: { ...result } };
    // The model's reply, or the user's change of it. The client validates it before sending.
    const run = async (permit: Permit): Promise<CreateMessageResult> =>
      permit.arguments as unknown as CreateMessageResult;
    const warnings = secretInText(textIn([result]));
    return this.#options.gate.pass(act, run, { signal, task, editable: true, warnings, outcome: () => 'sent' });
  }
}

/** All text that the model would read. */
const textOf = ({ systemPrompt = '', messages, tools = [] }: CreateMessageParams): string =>
  [systemPrompt, textIn(messages), ...tools.map(({ description = '' }) => description)].join('\n');

const secretInText = (text: string): readonly string[] =>
  maskText(text) === text ? [] : ['It seems to contain a secret.'];
