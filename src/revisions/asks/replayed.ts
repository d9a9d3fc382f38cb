/** One run of a handler that may have run before: it knows the answers of the rounds before, and unwinds at the next question. */
import { McpError, RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { principalOf } from '../../model/caller.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { AskContext, ClientRequests, OnceStep, Question } from '../contract.ts';
import { encodeQuestion } from '../encode-questions.ts';
import { answerFault, cannotAskError, missingCapability, runStep } from './question.ts';
import { STATE_LIFE_MS } from './seal.ts';

/** What one request may have to remember, sealed. */
const MAX_STATE_LENGTH: number = 64 * 1024;

/** What a request has learnt and done in the rounds before. */
interface Memory {
  /** Of the call, through all of its rounds. */
  readonly id: string;
  readonly round: number;
  /** Questions of the last round, with their methods and digests: only these may be answered now. */
  readonly asked: readonly (readonly [key: string, method: Question['method'], question: string])[];
  /** Each with the digest of the whole question that it answers: a yes to "It costs 5" is none to "It costs 500". */
  readonly answers: readonly (readonly [key: string, answer: JsonObject, question: string])[];
  /** Results of steps; one without a result has a key alone. */
  readonly steps: readonly (readonly [key: string, result?: unknown])[];
}
interface SealedMemory extends Memory {
  readonly expires: number;
}
const emptyMemory: Omit<Memory, 'id'> = { round: 0, asked: [], answers: [], steps: [] };

/** Answers that came without a state, by the keys of questions that may yet be asked. */
type EarlyAnswers = Readonly<Record<string, unknown>>;

interface RecordedAnswer {
  readonly answer: JsonObject;
  /** The digest of the whole question. */
  readonly question: string;
}

/** Unwinds a handler that waits for an answer. Never leaves this file. */
class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** Throws where the request brings state that cannot be trusted. */
export const replayQuestions = async (context: AskContext): Promise<ClientRequests> =>
  new ReplayedQuestions(context, await readMemory(context), earlyAnswersIn(context));

/** What a state is good for: this method with these params, for this caller. */
function stateBinding({ request, link }: AskContext): string {
  const { _meta, inputResponses, requestState, ...params } = request.params ?? {};
  return canonicalJson([request.method, params, principalOf(link.auth)]);
}

async function readMemory(context: AskContext): Promise<Memory> {
  const { requestState, inputResponses = {} } = context.request.params ?? {};
  if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
  if (requestState === undefined) return { id: crypto.randomUUID(), ...emptyMemory };
  if (typeof requestState !== 'string' || requestState.length > MAX_STATE_LENGTH) {
    throw new RpcError(INVALID_PARAMS, '"params.requestState" must be a string that this server sent');
  }
  const memory = JSON.parse(await context.sealer.open(requestState, stateBinding(context))) as SealedMemory; // sealed by us
  if (memory.expires < context.clock.wall()) throw new RpcError(INVALID_PARAMS, 'requestState has expired');
  const answers = [...memory.answers];
  for (const [key, method, question] of memory.asked) {
    // Answers to questions that were not asked are ignored; answers that are missing are asked for again.
    const answer = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    if (answer === undefined) continue;
    const fault = answerFault(method, answer);
    if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
    answers.push([key, answer as JsonObject, question]); // answerFault found an object
  }
  return { ...memory, answers };
}

/**
 * A client that knows the questions may answer them with its first request. It decides what the answers are in any case; a
 * state adds only which of them were asked for, so where there is one, nothing else counts.
 */
function earlyAnswersIn({ request }: AskContext): EarlyAnswers {
  const { requestState, inputResponses } = request.params ?? {};
  return requestState === undefined && isObject(inputResponses) ? inputResponses : {};
}

class ReplayedQuestions implements ClientRequests {
  readonly #context: AskContext;
  readonly #id: string;
  readonly #round: number;
  readonly #answers: Map<string, RecordedAnswer>;
  readonly #early: EarlyAnswers;
  readonly #steps: Map<string, unknown>;
  readonly #running: Map<string, Promise<unknown>> = new Map();
  readonly #questions: Map<string, string> = new Map();
  readonly #open: Map<string, Question> = new Map();
  #gathered: Promise<void> | undefined;
  /** Questions that are being compared with the one that was answered. */
  #comparing = 0;
  #over = false;

  constructor(context: AskContext, memory: Memory, early: EarlyAnswers) {
    this.#context = context;
    this.#early = early;
    this.#id = memory.id;
    this.#round = memory.round;
    this.#answers = new Map(memory.answers.map(([key, answer, question]) => [key, { answer, question }]));
    this.#steps = new Map(memory.steps.map(([key, result]) => [key, result]));
  }

  ask(key: string, question: Question): Promise<JsonObject> {
    const text = canonicalJson(question);
    const before = this.#questions.get(key);
    if (before !== undefined && before !== text) {
      return Promise.reject(new McpError('MCP_DUPLICATE_KEY', { what: this.#context.request.method, key }));
    }
    this.#questions.set(key, text);
    const isKnown = this.#answers.has(key) || this.#earlyAnswer(key) !== undefined;
    return isKnown ? this.#recall(key, question, text) : this.#suspend(key, question);
  }

  /** An answer belongs to the question it was given to: another question under the same key is asked. */
  async #recall(key: string, question: Question, text: string): Promise<JsonObject> {
    this.#comparing++;
    const asked = await digestText(text);
    this.#comparing--;
    const known = this.#answers.get(key);
    if (known?.question === asked) return known.answer;
    if (known === undefined) return this.#accept(key, question, asked);
    this.#answers.delete(key);
    return this.#suspend(key, question);
  }

  #suspend(key: string, question: Question): Promise<JsonObject> {
    const missing = missingCapability(question, this.#context.caller.capabilities, this.#context.revision.vocabulary);
    if (missing !== undefined) {
      const { message } = cannotAskError(question, missing);
      return Promise.reject(new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities: missing }));
    }
    this.#open.set(key, question);
    this.#gathered ??= this.#gather();
    return new Promise((_resolve, reject) => {
      void this.#gathered?.then(() => {
        // After the handler is done, nothing awaits this: an unhandled rejection would end the process.
        if (!this.#over) reject(new Suspension(`Waiting for the answer to "${key}"`));
      });
    });
  }

  /** Everything asked in the same turn shares a round, and so does what follows from answers that are known. */
  async #gather(): Promise<void> {
    do await nextTurn();
    while (this.#comparing > 0);
  }

  /** An answer that came with the first request holds for the question that it meets first. */
  #accept(key: string, { method }: Question, question: string): JsonObject {
    const answer = this.#earlyAnswer(key);
    const fault = answerFault(method, answer);
    if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
    this.#answers.set(key, { answer: answer as JsonObject, question }); // answerFault found an object
    return answer as JsonObject; // likewise
  }

  #earlyAnswer(key: string): unknown {
    return Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
  }

  /** The client repeats the request when it is done, so it needs no notification. */
  completeVisit(): void {}

  once<T>(key: string, step: OnceStep<T>): Promise<T> {
    if (this.#steps.has(key)) return Promise.resolve(this.#steps.get(key) as T); // what it gave in an earlier round
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>; // the same key is the same step
    const now = runStep(step, this.#id, key).then((result) => {
      this.#steps.set(key, result);
      return result;
    });
    this.#running.set(key, now);
    return now;
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
    const memory: SealedMemory = {
      id: this.#id,
      round: this.#round + 1,
      expires: clock.wall() + STATE_LIFE_MS,
      asked: await Promise.all(
        [...this.#open].map(
          async ([key, question]) => [key, question.method, await digestText(canonicalJson(question))] as const,
        ),
      ),
      answers: [...this.#answers].map(([key, { answer, question }]) => [key, answer, question]),
      steps: [...this.#steps].map(([key, result]) => (result === undefined ? [key] : [key, result])),
    };
    const requestState = await sealer.seal(JSON.stringify(memory), stateBinding(this.#context));
    if (requestState.length > MAX_STATE_LENGTH) {
      const setting = 'keep less in ctx.once';
      throw new McpError('MCP_TOO_LARGE', { what: `The state of ${what}`, limit: MAX_STATE_LENGTH, setting });
    }
    return { resultType: 'input_required', inputRequests: this.#requests(revision.vocabulary), requestState };
  }

  #requests(vocabulary: AskContext['revision']['vocabulary']): JsonObject {
    const requests: Record<string, JsonObject> = Object.create(null);
    for (const [key, question] of this.#open) {
      requests[key] = { method: question.method, params: encodeQuestion(vocabulary, question) };
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
