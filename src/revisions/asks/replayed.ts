/** A handler that is replayed in rounds: what it learnt and did so far travels with the client, sealed. */
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
  readonly steps: readonly (readonly [key: string, StepRecord])[];
}
interface SealedMemory extends Memory {
  readonly expires: number;
}
const emptyMemory: Omit<Memory, 'id'> = { round: 0, asked: [], answers: [], steps: [] };

/** Throws where the request brings state that cannot be trusted. */
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

/** What a state is good for: this method with these params, for this caller. */
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
  const memory = JSON.parse(await sealer.open(requestState, stateBinding(context))) as SealedMemory; // sealed by us
  if (memory.expires < clock.wall()) throw new RpcError(INVALID_PARAMS, 'requestState has expired');
  const answers = [...memory.answers];
  for (const [key, method, question] of memory.asked) {
    // Answers to questions that were not asked are ignored; answers that are missing are asked for again.
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
 * A client that knows the questions may answer them with its first request. It decides what the answers are in any case; a
 * state adds only which of them were asked for, so where there is one, nothing else counts.
 */
function earlyAnswersIn({ request }: AskContext): JsonObject {
  const { requestState, inputResponses } = request.params ?? {};
  return requestState === undefined && isObject(inputResponses) ? inputResponses : {};
}

export class RoundMemory implements CallMemory {
  readonly #context: AskContext;
  readonly #id: string;
  readonly #round: number;
  /** Each with the digest of the whole question. */
  readonly #answers: Map<string, { readonly answer: JsonObject; readonly question: string }>;
  /** Answers that came without a state, by the keys of questions that may yet be asked. */
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
    // An answer that came with the first request holds for the question that it meets first.
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

  /** The id of the task that this call becomes, if it does: the same in every round, and in a round that is sent twice. */
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

  /** Steps that end from now on are handed to a task that goes on with this call. */
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

/** What a run of a handler knows at one moment. */
export type KnownCall = Pick<Memory, 'answers' | 'steps'>;
