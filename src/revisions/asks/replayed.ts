/** One run of a handler that may have run before: it knows the answers of the rounds before, and unwinds at the next question. */
import { McpError, RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { principalOf } from '../../model/caller.ts';
import { canonical } from '../../model/canonical.ts';
import { MISSING_CAPABILITY } from '../../model/codes.ts';
import { turn } from '../../peer/turn.ts';
import type { AskContext, Asking, Question } from '../contract.ts';
import { encodeQuestion } from '../encode-questions.ts';
import { answerFault } from './answer.ts';
import { missingFor } from './capability.ts';
import { STATE_LIFE_MS } from './seal.ts';

/** What one request may have to remember, sealed. */
const MAX_STATE_LENGTH: number = 64 * 1024;

/** What a request has learnt and done in the rounds before. */
interface Memory {
  readonly round: number;
  readonly expires: number;
  /** Questions of the last round, with their methods: only these may be answered now. */
  readonly asked: readonly (readonly [string, Question['method']])[];
  readonly answers: readonly (readonly [string, JsonObject])[];
  readonly steps: readonly (readonly [string, unknown])[];
}
const nothing: Memory = { round: 0, expires: 0, asked: [], answers: [], steps: [] };

/** Answers that came without a state, by the keys of questions that may yet be asked. */
type Early = Readonly<Record<string, unknown>>;

/** Unwinds a handler that waits for an answer. Never leaves this file. */
class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** Throws where the request brings state that cannot be trusted. */
export const replay = async (context: AskContext): Promise<Asking> =>
  new ReplayedAsking(context, await remember(context), earlyIn(context));

/** What a state is good for: this method with these params, for this caller. */
function boundTo({ request, link }: AskContext): string {
  const { _meta, inputResponses, requestState, ...params } = request.params ?? {};
  return canonical([request.method, params, principalOf(link.auth)]);
}

async function remember(context: AskContext): Promise<Memory> {
  const { requestState, inputResponses = {} } = context.request.params ?? {};
  if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
  if (requestState === undefined) return nothing;
  if (typeof requestState !== 'string' || requestState.length > MAX_STATE_LENGTH) {
    throw new RpcError(INVALID_PARAMS, '"params.requestState" must be a string that this server sent');
  }
  const memory = JSON.parse(await context.sealer.open(requestState, boundTo(context))) as Memory; // sealed by us
  if (memory.expires < context.clock.wall()) throw new RpcError(INVALID_PARAMS, 'requestState has expired');
  const answers = new Map(memory.answers);
  for (const [key, method] of memory.asked) {
    // Answers to questions that were not asked are ignored; answers that are missing are asked for again.
    const answer = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    if (answer === undefined) continue;
    const fault = answerFault(method, answer);
    if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
    answers.set(key, answer as JsonObject); // answerFault found an object
  }
  return { ...memory, answers: [...answers] };
}

/**
 * A client that knows the questions may answer them with its first request. It decides what the answers are in any case; a
 * state adds only which of them were asked for, so where there is one, nothing else counts.
 */
function earlyIn({ request }: AskContext): Early {
  const { requestState, inputResponses } = request.params ?? {};
  return requestState === undefined && isObject(inputResponses) ? inputResponses : {};
}

class ReplayedAsking implements Asking {
  readonly #context: AskContext;
  readonly #round: number;
  readonly #answers: Map<string, JsonObject>;
  readonly #early: Early;
  readonly #steps: Map<string, unknown>;
  readonly #running: Map<string, Promise<unknown>> = new Map();
  readonly #questions: Map<string, string> = new Map();
  readonly #open: Map<string, Question> = new Map();
  #gathered: Promise<void> | undefined;
  #over = false;

  constructor(context: AskContext, memory: Memory, early: Early) {
    this.#context = context;
    this.#early = early;
    this.#round = memory.round;
    this.#answers = new Map(memory.answers);
    this.#steps = new Map(memory.steps);
  }

  ask(key: string, question: Question): Promise<JsonObject> {
    const text = canonical(question);
    const before = this.#questions.get(key);
    if (before !== undefined && before !== text) {
      return Promise.reject(new McpError('MCP_DUPLICATE_KEY', { what: this.#context.request.method, key }));
    }
    this.#questions.set(key, text);
    const answer = this.#answers.get(key) ?? (Object.hasOwn(this.#early, key) ? this.#early[key] : undefined);
    if (answer !== undefined) return this.#accept(key, question, answer);
    const missing = missingFor(question, this.#context.caller.capabilities, this.#context.revision.words);
    if (missing !== undefined) {
      const data = { requiredCapabilities: missing };
      return Promise.reject(
        new RpcError(MISSING_CAPABILITY, `The client must declare a capability for ${question.method}`, data),
      );
    }
    this.#open.set(key, question);
    // Everything asked in the same turn shares a round.
    this.#gathered ??= turn();
    return new Promise((_resolve, reject) => {
      void this.#gathered?.then(() => {
        // When the handler is done, whoever still waits was left behind by it: a rejection there would end the process.
        if (!this.#over) reject(new Suspension(`Waiting for the answer to "${key}"`));
      });
    });
  }

  async #accept(key: string, { method }: Question, answer: unknown): Promise<JsonObject> {
    const fault = answerFault(method, answer);
    if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
    this.#answers.set(key, answer as JsonObject); // answerFault found an object
    return answer as JsonObject; // likewise
  }

  /** Nobody is waiting: the client has its own way back. */
  visited(): void {}

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    if (this.#steps.has(key)) return Promise.resolve(this.#steps.get(key) as T); // what `run` gave in an earlier round
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>; // the same key is the same step
    const step = Promise.resolve()
      .then(run)
      .then((value) => {
        this.#steps.set(key, value);
        return value;
      });
    this.#running.set(key, step);
    return step;
  }

  async outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> {
    this.#over = true;
    if (this.#open.size === 0) return undefined;
    const [first = ''] = this.#open.keys();
    if (thrown === undefined) throw new McpError('MCP_SUSPENSION_SWALLOWED', { what, key: first });
    // The handler failed for a reason of its own while a question was open: the failure is the outcome.
    if (!isSuspension(thrown)) return undefined;
    await this.#gathered;
    const { maxRounds, revision, sealer, clock } = this.#context;
    if (this.#round >= maxRounds) {
      throw new McpError('MCP_TOO_MANY_ROUNDS', { method: what, rounds: maxRounds, setting: 'maxRounds' });
    }
    const memory: Memory = {
      round: this.#round + 1,
      expires: clock.wall() + STATE_LIFE_MS,
      asked: [...this.#open].map(([key, question]) => [key, question.method]),
      answers: [...this.#answers],
      steps: [...this.#steps],
    };
    const requestState = await sealer.seal(JSON.stringify(memory), boundTo(this.#context));
    if (requestState.length > MAX_STATE_LENGTH) {
      const setting = 'keep less in ctx.once';
      throw new McpError('MCP_TOO_LARGE', { what: `The state of ${what}`, limit: MAX_STATE_LENGTH, setting });
    }
    return { resultType: 'input_required', inputRequests: this.#requests(revision.words), requestState };
  }

  #requests(words: AskContext['revision']['words']): JsonObject {
    const requests: Record<string, JsonObject> = Object.create(null);
    for (const [key, question] of this.#open) {
      requests[key] = { method: question.method, params: encodeQuestion(words, question) };
    }
    return requests;
  }
}

/** Handlers may wrap what they catch; the suspension is then somewhere among the causes. */
function isSuspension(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 16; error = error.cause, depth++) {
    if (error instanceof Suspension) return true;
  }
  return false;
}
