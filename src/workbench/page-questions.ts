/** Shows questions of the host in all pages. The first answer wins, and applies only to what was shown. */
import { randomUUID } from 'node:crypto';
import { McpError } from '../errors.ts';
import type { Consent, ConsentAnswer, ConsentQuestion, InputSource, Model, QuestionHandler } from '../host/index.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { FormValue } from '../model/elicitation.ts';
import type { Clock } from '../peer/clock.ts';
import type { EventFeed } from './event-feed.ts';
import { restoreMasked } from './mask-places.ts';
import type { AnswerValue, ConsentValue, OpenQuestion } from './protocol-questions.ts';

/** Maximum number of open questions; further ones are declined. */
const MAX_OPEN = 200;
/** Maximum number of answered questions whose duration is kept, for `waitedMs`. */
const MAX_PERIODS = 1_000;

/** `Omit`, distributed over the union. */
type Without<Q, K extends string> = Q extends OpenQuestion ? Omit<Q, K> : never;
type NewQuestion = Without<OpenQuestion, 'id' | 'at'>;
type TerminalQuestion = Without<
  Extract<OpenQuestion, { readonly kind: 'command' | 'reveal' }>,
  'id' | 'at' | 'warnings' | 'inTerminal'
>;
type PageAnswer = AnswerValue | { readonly kind: 'consent'; readonly answer: ConsentValue };

interface WaitingQuestion {
  readonly question: OpenQuestion;
  settle(answer: PageAnswer | undefined): void;
}
interface AskedPeriod {
  readonly server: string;
  readonly from: number;
  readonly to: number;
}

export interface PageQuestionsOptions {
  readonly feed: EventFeed;
  readonly clock: Clock;
  /** The index of a rule in the policy; undefined for built-in rules. */
  ruleIndex(rule: string): number | undefined;
  /** Masks the secrets of a server in a value; for an unknown server, those of all. */
  scrub<T>(server: string, value: T): T;
  /** Does the same in an action that the user decides about, where only words are hidden. */
  scrubAct<T>(server: string, act: T): T;
}

export class PageQuestions {
  readonly #options: PageQuestionsOptions;
  readonly #open: Map<string, WaitingQuestion> = new Map();
  readonly #periods: AskedPeriod[] = [];

  constructor(options: PageQuestionsOptions) {
    this.#options = options;
  }

  get open(): readonly OpenQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** How long, between `from` and `to`, at least one question of the server was open. */
  waitedMs(server: string, from: number, to: number): number {
    const current = this.open.map((one): AskedPeriod => ({ server: one.server, from: one.at, to }));
    const periods = [...this.#periods, ...current]
      .filter((one) => one.server === server)
      .sort((left, right) => left.from - right.from);
    let [sum, end] = [0, from];
    for (const period of periods) {
      const until = Math.min(to, period.to);
      sum += Math.max(0, until - Math.max(end, period.from));
      end = Math.max(end, until);
    }
    return sum;
  }

  /** Returns false if the question is closed, or the answer is of another kind. */
  answer(id: string, value: AnswerValue): boolean {
    const waiting = this.#open.get(id);
    if (waiting === undefined || waiting.question.kind !== value.kind || waiting.question.inTerminal === true)
      return false;
    waiting.settle(value);
    return true;
  }

  /** Returns false if the question is closed, or `binding` is not that of the action that was shown. */
  consent(id: string, binding: string, answer: ConsentValue): boolean {
    const waiting = this.#open.get(id);
    if (waiting?.question.kind !== 'consent' || waiting.question.binding !== binding) return false;
    waiting.settle({ kind: 'consent', answer });
    return true;
  }

  /** Resolves to undefined if the signal aborts or too many questions are open. */
  ask(asked: NewQuestion, signal: AbortSignal | undefined): Promise<PageAnswer | undefined> {
    if (this.#open.size >= MAX_OPEN || signal?.aborted === true) return Promise.resolve(undefined);
    const { feed, clock } = this.#options;
    const [id, at] = [randomUUID(), clock.wall()];
    const question = { ...asked, id, at } as OpenQuestion; // `NewQuestion` omits just `id` and `at`
    return new Promise((resolve) => {
      const settle = (answer: PageAnswer | undefined): void => {
        if (!this.#open.delete(id)) return;
        signal?.removeEventListener('abort', cancel);
        this.#periods.push({ server: question.server, from: at, to: clock.wall() });
        if (this.#periods.length > MAX_PERIODS) this.#periods.shift();
        feed.emit('question.gone', { id, why: answer === undefined ? 'cancelled' : 'answered' });
        resolve(answer);
      };
      const cancel = (): void => settle(undefined);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#open.set(id, { question, settle });
      feed.emit('question', { question });
    });
  }

  /** Pages display the question, but only the terminal can answer it. Throws `MCP_CANCELLED` if the user says no. */
  async askInTerminal(asked: TerminalQuestion, confirm: () => Promise<boolean>): Promise<void> {
    const over = new AbortController();
    void this.ask({ ...asked, warnings: [], inTerminal: true }, over.signal);
    const isAllowed = await confirm().finally(() => over.abort());
    if (isAllowed) return;
    const [method, what] =
      asked.kind === 'command' ? ['Adding the command', 'started'] : ['Showing the value', 'shown'];
    throw new McpError('MCP_CANCELLED', { method, why: `you did not agree in the terminal, so nothing was ${what}` });
  }

  /** Passed to the host as `consent`. */
  readonly hostConsent: Consent = {
    ask: (question, signal) => this.#askConsent(question, signal),
  };

  readonly handler: QuestionHandler = {
    form: async ({ requestedSchema, values, ...question }, signal) => {
      const { server } = question;
      const message = this.#options.scrub(server, question.message);
      // Options and default values stay unmasked, because they are sent back to the server.
      const fields = Object.entries(requestedSchema.properties).map(([name, field]) => {
        const { title, description } = field;
        return [name, { ...field, ...this.#options.scrub(server, { title, description }) }] as const;
      });
      const schema = { ...requestedSchema, properties: Object.fromEntries(fields) };
      const shown = { ...question, message, requestedSchema: schema, values: { ...values } };
      const answer = await this.ask({ kind: 'form', ...shown }, signal);
      if (answer?.kind !== 'form') return { action: 'cancel' };
      if (answer.action !== 'accept') return { action: answer.action };
      // Not validated here: the host validates the content against the schema, and asks again if it is invalid.
      return { action: 'accept', content: answer.content as Readonly<Record<string, FormValue>> };
    },
    // The page opens the URL, when the user clicks.
    open: async () => undefined,
    visiting: async ({ server, url, host, completed }, signal) => {
      const over = new AbortController();
      void completed.then(() => over.abort());
      const either = AbortSignal.any([signal, over.signal]);
      const answer = await this.ask({ kind: 'visit', server, url, host, warnings: [] }, either);
      if (over.signal.aborted) return 'done';
      return answer?.kind === 'visit' ? answer.action : 'cancel';
    },
  };

  /** Asks for the input values of configuration files. */
  readonly inputs: InputSource = async ({ id, description, password, default: usual, options }, { server }) => {
    const about = { description: description ?? id, password, default: usual, options, warnings: [] };
    const answer = await this.ask({ kind: 'input', server, ...about }, undefined);
    if (answer?.kind === 'input' && answer.action === 'accept') return answer.text;
    throw new McpError('MCP_CANCELLED', {
      method: `Opening the server "${server}"`,
      why: `no value was given for "${id}"`,
    });
  };

  /** The model if none is configured: the user types its replies. */
  readonly userAsModel: Model = {
    models: [{ name: 'you' }],
    reply: async (request, options = {}) => {
      const plain = JSON.parse(JSON.stringify(request)) as JsonObject; // a copy of an object
      // The request does not say which server sent it, so the secrets of all are masked.
      const shown = this.#options.scrub('', plain);
      const answer = await this.ask({ kind: 'sampling', server: '', request: shown, warnings: [] }, options.signal);
      if (answer?.kind !== 'sampling' || answer.action === 'decline')
        throw new McpError('MCP_CANCELLED', { method: 'The reply of the model', why: 'the user declined to write it' });
      return { model: 'you', content: [{ type: 'text', text: answer.text }], stopReason: 'endTurn' };
    },
  };

  async #askConsent({ id: _, act, ...question }: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    const { scrub, scrubAct, ruleIndex } = this.#options;
    const { server } = act;
    const shown = scrubAct(server, { ...act });
    const { rule, why, warnings } = question;
    const texts = scrub(server, { rule, why, warnings });
    const asked = { kind: 'consent', server, ruleIndex: ruleIndex(rule), ...question, act: shown, ...texts } as const;
    const answer = await this.ask(asked, signal);
    if (answer?.kind !== 'consent') return { allow: false, reason: 'the question was closed without an answer' };
    const { arguments: changed, ...rest } = answer.answer;
    const restored = changed === undefined ? undefined : restoreMasked(changed, shown.arguments, act.arguments);
    return { ...rest, binding: question.binding, ...(restored === undefined ? {} : { arguments: restored }) };
  }
}
