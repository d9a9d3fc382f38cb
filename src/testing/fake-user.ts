/** `fakeUser()`: answers the questions of a server in tests, by rules for their text, and records them. */
import type { ElicitHandlers, FormRequest, SampleHandlers, UrlRequest } from '../client/handlers.ts';
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import type { ElicitResult, FormValue } from '../model/elicitation.ts';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from '../model/sampling.ts';

/** Matches the text of a question. A string matches as a substring. */
export type TextPattern = string | RegExp;
/** The content of a form, or the value of its only field. If omitted, the form's defaults apply. */
export type FakeAnswer = Readonly<Record<string, FormValue>> | FormValue;
/** The reply of the fake user's model. */
export type FakeSample = string | ((request: CreateMessageParams) => string | CreateMessageResult);

/** A question that a fake user was asked. */
export type AskedOfUser =
  | { readonly kind: 'form'; readonly message: string; readonly request: FormRequest }
  | { readonly kind: 'url'; readonly message: string; readonly request: UrlRequest }
  | { readonly kind: 'sample'; readonly message: string; readonly request: CreateMessageParams };

interface AnswerRule {
  readonly pattern: TextPattern;
  readonly action: ElicitResult['action'];
  readonly value?: FakeAnswer | undefined;
}

/** A fake user for `connect(server, { ...fakeUser().answer('Refund', true) })`. The first matching rule answers a question. */
export interface FakeUser {
  readonly elicit: Required<Pick<ElicitHandlers, 'form' | 'url'>>;
  readonly sample: SampleHandlers;
  /** All questions so far, in order. */
  readonly asked: readonly AskedOfUser[];
  /** Accepts matching questions with this value. */
  answer(pattern: TextPattern, value?: FakeAnswer): FakeUser;
  /** Declines matching questions. */
  decline(pattern: TextPattern): FakeUser;
  /** Dismisses matching questions (action `cancel`). */
  cancel(pattern: TextPattern): FakeUser;
  /** Sets the reply to sampling requests. */
  samples(sample: FakeSample): FakeUser;
}

class RuleUser implements FakeUser {
  readonly elicit: Required<Pick<ElicitHandlers, 'form' | 'url'>>;
  readonly sample: SampleHandlers;
  readonly #rules: AnswerRule[] = [];
  readonly #asked: AskedOfUser[] = [];
  #sample: FakeSample | undefined;

  constructor() {
    this.elicit = {
      form: (request) => this.#answerForm(request),
      url: (request) => {
        this.#asked.push({ kind: 'url', message: request.message, request });
        return { action: this.#findRule(request.message).action };
      },
    };
    this.sample = { create: (request) => this.#createMessage(request), tools: true, context: true };
  }

  get asked(): readonly AskedOfUser[] {
    return this.#asked;
  }

  answer(pattern: TextPattern, value?: FakeAnswer): this {
    this.#rules.push({ pattern, action: 'accept', value });
    return this;
  }

  decline(pattern: TextPattern): this {
    this.#rules.push({ pattern, action: 'decline' });
    return this;
  }

  cancel(pattern: TextPattern): this {
    this.#rules.push({ pattern, action: 'cancel' });
    return this;
  }

  samples(sample: FakeSample): this {
    this.#sample = sample;
    return this;
  }

  #answerForm(request: FormRequest): ElicitResult {
    this.#asked.push({ kind: 'form', message: request.message, request });
    const { action, value } = this.#findRule(request.message);
    return action === 'accept' ? { action, content: contentOf(request, value) } : { action };
  }

  #findRule(message: string): AnswerRule {
    const rule = this.#rules.find(({ pattern }) =>
      typeof pattern === 'string' ? message.includes(pattern) : pattern.test(message),
    );
    if (rule !== undefined) return rule;
    const known = this.#rules.map(({ pattern }) => String(pattern)).join(', ') || 'nothing';
    throw new RpcError(INVALID_PARAMS, `The fake user was asked "${message}" and expects ${known}; add .answer()`);
  }

  #createMessage(request: CreateMessageParams): CreateMessageResult {
    const message = textOf(request);
    this.#asked.push({ kind: 'sample', message, request });
    if (this.#sample === undefined) {
      throw new RpcError(INVALID_PARAMS, `The fake user was asked to sample "${message}"; add .samples()`);
    }
    const reply = typeof this.#sample === 'function' ? this.#sample(request) : this.#sample;
    if (typeof reply !== 'string') return reply;
    return { role: 'assistant', content: { type: 'text', text: reply }, model: 'fake', stopReason: 'endTurn' };
  }
}

/** Creates a fake user without rules. */
export const fakeUser = (): FakeUser => new RuleUser();

function contentOf({ requestedSchema }: FormRequest, value: FakeAnswer | undefined): Record<string, FormValue> {
  if (value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return { ...(value as Record<string, FormValue>) }; // an object is the whole form
  const fields = Object.keys(requestedSchema.properties);
  const [field] = fields;
  if (field !== undefined && fields.length === 1) return { [field]: value as FormValue }; // anything else is one value
  throw new RpcError(INVALID_PARAMS, `The fake user has one value for a form of ${fields.length} fields: ${fields}`);
}

function textOf({ messages }: CreateMessageParams): string {
  const blocks = messages.flatMap(
    ({ content }): readonly SamplingContent[] => (Array.isArray(content) ? content : [content as SamplingContent]), // a single block
  );
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
