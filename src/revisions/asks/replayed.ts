/** Replays a handler in rounds: its answers and finished steps are stored in a sealed state, which the client sends back. */
import { McpError, RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { principalOf } from '../../model/caller.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
import type { StepRecord } from '../../model/task-record.ts';
import type { AskContext, Question } from '../contract.ts';
import { encodeQuestion } from '../encode-questions.ts';
import { answerFault, cannotAskError, missingCapability } from './question.ts';
import { type CallMemory, digestQuestion, type HandlerRun, ReplayedCall, stepStem } from './replay.ts';
import { STATE_LIFE_MS } from './seal.ts';

/** Maximum length of a sealed state. */
const MAX_STATE_LENGTH: number = 64 * 1024;

/** Answers and steps of the earlier rounds of a call. */
interface Memory {
  /** Identifies the call through all of its rounds. */
  readonly id: string;
  readonly round: number;
  /** Questions of the last round, with their methods and digests: only these can be answered now. */
  readonly asked: readonly (readonly [key: string, method: Question['method'], question: string])[];
  /** Answers with the digests of their questions: a yes to "It costs 5" must not count as a yes to "It costs 500". */
  readonly answers: readonly (readonly [key: string, answer: JsonObject, question: string])[];
  readonly steps: readonly (readonly [key: string, StepRecord])[];
}
interface SealedMemory extends Memory {
  readonly expires: number;
}
const emptyMemory: Omit<Memory, 'id'> = { round: 0, asked: [], answers: [], steps: [] };

/** Opens the state of the request. Throws if this server did not seal it for this request. */
export async function replayQuestions(context: AskContext): Promise<ReplayedCall<RoundMemory>> {
  const { request, link, settings } = context;
  const memory = await readMemory(context);
  const run: HandlerRun = {
    what: request.method,
    fence: memory.round + 1,
    get signal() {
      return link.signal;
    },
    warn: (warning) => settings.warnings.once(warning),
  };
  return new ReplayedCall(new RoundMemory(context, memory), run, memory.steps);
}

/** Binds a state to the method, the params and the caller. */
function stateBinding({ request, link }: AskContext): string {
  const { _meta, inputResponses, requestState, ...params } = request.params ?? {};
  return canonicalJson([request.method, params, principalOf(link.auth)]);
}

async function readMemory(context: AskContext): Promise<Memory> {
  const { requestState, inputResponses = {} } = context.request.params ?? {};
  const { sealer, clock } = context.settings;
  if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
  if (requestState === undefined) return { id: crypto.randomUUID(), ...emptyMemory };
  if (typeof requestState !== 'string' || requestState.length > MAX_STATE_LENGTH) {
    throw new RpcError(INVALID_PARAMS, '"params.requestState" must be a string that this server sent');
  }
  const memory = JSON.parse(await sealer.open(requestState, stateBinding(context))) as SealedMemory; // sealed by this server
  if (memory.expires < clock.wall()) throw new RpcError(INVALID_PARAMS, 'requestState has expired');
  const answers = [...memory.answers];
  for (const [key, method, question] of memory.asked) {
    // Ignores answers to questions that were not asked. Questions without an answer are asked again.
    const answer = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    if (answer === undefined) continue;
    answers.push([key, checkAnswer(key, method, answer), question]);
  }
  return { ...memory, answers };
}

function checkAnswer(key: string, method: Question['method'], answer: unknown): JsonObject {
  const fault = answerFault(method, answer);
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${key}" ${fault}`);
  return answer as JsonObject; // answerFault found an object
}

/**
 * Answers that a client sends with its first request, before it was asked. Safe to accept, because the client decides the answers in any
 * case. With a state, only the questions that were asked count.
 */
function earlyAnswersIn({ request }: AskContext): JsonObject {
  const { requestState, inputResponses } = request.params ?? {};
  return requestState === undefined && isObject(inputResponses) ? inputResponses : {};
}

export class RoundMemory implements CallMemory {
  readonly #context: AskContext;
  readonly #id: string;
  readonly #round: number;
  /** Answers with the digests of their questions, by key. */
  readonly #answers: Map<string, { readonly answer: JsonObject; readonly question: string }>;
  /** Answers of the first request, by the keys of questions that are not asked yet. */
  readonly #early: JsonObject;
  #onStep: ((key: string, record: StepRecord) => Promise<void>) | undefined;

  constructor(context: AskContext, memory: Memory) {
    this.#context = context;
    this.#early = earlyAnswersIn(context);
    this.#id = memory.id;
    this.#round = memory.round;
    this.#answers = new Map(memory.answers.map(([key, answer, question]) => [key, { answer, question }]));
  }

  async recall(key: string, question: Question, digest: string): Promise<JsonObject | undefined> {
    const known = this.#answers.get(key);
    if (known?.question === digest) return known.answer;
    // An answer of the first request is assigned to the first question with its key.
    const early = known === undefined && Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
    if (early !== undefined) {
      const answer = checkAnswer(key, question.method, early);
      this.#answers.set(key, { answer, question: digest });
      return answer;
    }
    this.#answers.delete(key);
    const missing = missingCapability(question, this.#context.caller.capabilities, this.#context.revision.vocabulary);
    if (missing === undefined) return undefined;
    const { message } = cannotAskError(question, missing);
    throw new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities: missing });
  }

  /** The id of the task if the call becomes one. Deterministic, so that every round, and a repeated round, yields the same id. */
  get taskId(): Promise<string> {
    return digestText(`task ${this.#id}`);
  }

  async stem(): Promise<string> {
    return stepStem(await this.taskId);
  }

  beginStep(): void {}

  keepStep(key: string, record: StepRecord): Promise<void> | void {
    return this.#onStep?.(key, record);
  }

  /** Passes steps that end from now on to a task that continues this call. */
  handOver(onStep: (key: string, record: StepRecord) => Promise<void>): void {
    this.#onStep = onStep;
  }

  get answers(): Memory['answers'] {
    return [...this.#answers].map(([key, { answer, question }]) => [key, answer, question]);
  }

  async suspend(what: string, run: ReplayedCall): Promise<JsonObject> {
    await run.settled();
    const { revision, settings } = this.#context;
    const { maxRounds, sealer, clock } = settings;
    if (this.#round >= maxRounds) {
      throw new McpError('MCP_TOO_MANY_ROUNDS', { method: what, rounds: maxRounds, setting: 'maxRounds' });
    }
    const memory: SealedMemory = {
      id: this.#id,
      round: this.#round + 1,
      expires: clock.wall() + STATE_LIFE_MS,
      asked: await Promise.all(
        [...run.open].map(async ([key, question]) => [key, question.method, await digestQuestion(question)] as const),
      ),
      answers: this.answers,
      steps: [...run.steps],
    };
    const requestState = await sealer.seal(JSON.stringify(memory), stateBinding(this.#context));
    if (requestState.length > MAX_STATE_LENGTH) {
      const setting = 'keep less in ctx.once';
      throw new McpError('MCP_TOO_LARGE', { what: `The state of ${what}`, limit: MAX_STATE_LENGTH, setting });
    }
    return { resultType: 'input_required', inputRequests: requestsOf(run.open, revision.vocabulary), requestState };
  }
}

function requestsOf(open: ReadonlyMap<string, Question>, vocabulary: AskContext['revision']['vocabulary']): JsonObject {
  const requests: Record<string, JsonObject> = Object.create(null);
  for (const [key, question] of open) {
    requests[key] = { method: question.method, params: encodeQuestion(vocabulary, question) };
  }
  return requests;
}

/** The answers and steps of a call so far. */
export type KnownCall = Pick<Memory, 'answers' | 'steps'>;
