/** A fake user for tests: answers a server's questions by their text, and records them. */
import type { ElicitHandlers, FormRequest, SampleHandlers, UrlRequest } from '../client/handlers.ts';
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import type { ElicitResult, FormValue } from '../model/elicitation.ts';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from '../model/sampling.ts';

/** A string is found anywhere in the question. */
export type TextPattern = string | RegExp;
/** What goes into the form: all of it, or the one value of a form with one field. Without it, the form's defaults. */
export type FakeAnswer = Readonly<Record<string, FormValue>> | FormValue;
/** What a fake user's model says. */
export type FakeSample = string | ((request: CreateMessageParams) => string | CreateMessageResult);

/** What a fake user was asked. */
export type AskedOfUser =
  | { readonly kind: 'form'; readonly message: string; readonly request: FormRequest }
  | { readonly kind: 'url'; readonly message: string; readonly request: UrlRequest }
  | { readonly kind: 'sample'; readonly message: string; readonly request: CreateMessageParams };

interface AnswerRule {
  readonly pattern: TextPattern;
  readonly action: ElicitResult['action'];
  readonly value?: FakeAnswer | undefined;
}

/** `connect(server, { ...fakeUser().answer('Refund', true) })`. The first rule that fits a question answers it. */
export interface FakeUser {
  readonly elicit: Required<Pick<ElicitHandlers, 'form' | 'url'>>;
  readonly sample: SampleHandlers;
  /** Everything that was asked, in order. */
  readonly asked: readonly AskedOfUser[];
  /** Accepts questions with this text, with this value. */
  answer(pattern: TextPattern, value?: FakeAnswer): FakeUser;
  /** Declines questions with this text. */
  decline(pattern: TextPattern): FakeUser;
  /** Closes questions with this text without an answer. */
  cancel(pattern: TextPattern): FakeUser;
  /** What the model says when a server asks it. */
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
      form: (request) => this.#form(request),
      url: (request) => {
        this.#asked.push({ kind: 'url', message: request.message, request });
        return { action: this.#rule(request.message).action };
      },
    };
    this.sample = { create: (request) => this.#create(request), tools: true, context: true };
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

  #form(request: FormRequest): ElicitResult {
    this.#asked.push({ kind: 'form', message: request.message, request });
    const { action, value } = this.#rule(request.message);
    return action === 'accept' ? { action, content: contentOf(request, value) } : { action };
  }

  #rule(message: string): AnswerRule {
    const rule = this.#rules.find(({ pattern }) =>
      typeof pattern === 'string' ? message.includes(pattern) : pattern.test(message),
    );
    if (rule !== undefined) return rule;
    const known = this.#rules.map(({ pattern }) => String(pattern)).join(', ') || 'nothing';
    throw new RpcError(INVALID_PARAMS, `The fake user was asked "${message}" and expects ${known}; add .answer()`);
  }

  #create(request: CreateMessageParams): CreateMessageResult {
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

/** Makes a fake user, who answers by rules. */
export const fakeUser = (): FakeUser => new RuleUser();

function contentOf({ requestedSchema }: FormRequest, value: FakeAnswer | undefined): Record<string, FormValue> {
  if (value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return { ...(value as Record<string, FormValue>) }; // no list, so the whole form
  const fields = Object.keys(requestedSchema.properties);
  const [field] = fields;
  if (field !== undefined && fields.length === 1) return { [field]: value as FormValue }; // no object, so one value
  throw new RpcError(INVALID_PARAMS, `The fake user has one value for a form of ${fields.length} fields: ${fields}`);
}

function textOf({ messages }: CreateMessageParams): string {
  const blocks = messages.flatMap(
    ({ content }): readonly SamplingContent[] => (Array.isArray(content) ? content : [content as SamplingContent]), // a single block
  );
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
