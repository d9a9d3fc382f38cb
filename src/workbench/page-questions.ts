/** What the host has to ask, answered by pages: the first answer wins, and it holds for exactly what was shown. */
import { randomUUID } from 'node:crypto';
import { McpError } from '../errors.ts';
import type { Consent, ConsentAnswer, ConsentQuestion, InputSource, Model, QuestionHandler } from '../host/index.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { FormValue } from '../model/elicitation.ts';
import type { Clock } from '../peer/clock.ts';
import type { EventFeed } from './event-feed.ts';
import { restoreMasked } from './mask-places.ts';
import type { AnswerValue, ConsentValue, OpenQuestion } from './protocol-questions.ts';

/** Beyond this, what would be asked is declined. */
const MAX_OPEN = 200;
/** Of questions that are over, to tell the time of users from that of servers. */
const MAX_WAITS = 1_000;

/** The same members for each kind. */
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
interface Wait {
  readonly server: string;
  readonly from: number;
  readonly to: number;
}

export interface PageQuestionsOptions {
  readonly feed: EventFeed;
  readonly clock: Clock;
  /** The place of a rule in the policy, where it is one of them. */
  ruleIndex(rule: string): number | undefined;
  /** Texts and values of a server, without secrets. */
  scrub<T>(server: string, value: T): T;
}

export class PageQuestions {
  readonly #options: PageQuestionsOptions;
  readonly #open: Map<string, WaitingQuestion> = new Map();
  readonly #waits: Wait[] = [];

  constructor(options: PageQuestionsOptions) {
    this.#options = options;
  }

  get open(): readonly OpenQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** How long a user was asked for a server, within this time. */
  waitedMs(server: string, from: number, to: number): number {
    const current = this.open.map((one): Wait => ({ server: one.server, from: one.at, to }));
    return [...this.#waits, ...current]
      .filter((one) => one.server === server)
      .reduce((sum, wait) => sum + Math.max(0, Math.min(to, wait.to) - Math.max(from, wait.from)), 0);
  }

  /** False where it was answered before, or is over. */
  answer(id: string, value: AnswerValue): boolean {
    const waiting = this.#open.get(id);
    if (waiting === undefined || waiting.question.kind !== value.kind || waiting.question.inTerminal === true)
      return false;
    waiting.settle(value);
    return true;
  }

  /** An answer to what was not shown is none. */
  consent(id: string, binding: string, answer: ConsentValue): boolean {
    const waiting = this.#open.get(id);
    if (waiting?.question.kind !== 'consent' || waiting.question.binding !== binding) return false;
    waiting.settle({ kind: 'consent', answer });
    return true;
  }

  /** Undefined where the signal aborts, or too many are open. */
  ask(asked: NewQuestion, signal: AbortSignal | undefined): Promise<PageAnswer | undefined> {
    if (this.#open.size >= MAX_OPEN || signal?.aborted === true) return Promise.resolve(undefined);
    const { feed, clock } = this.#options;
    const [id, at] = [randomUUID(), clock.wall()];
    const question = { ...asked, id, at } as OpenQuestion; // what was left out, and the rest
    return new Promise((resolve) => {
      const settle = (answer: PageAnswer | undefined): void => {
        if (!this.#open.delete(id)) return;
        signal?.removeEventListener('abort', cancel);
        this.#waits.push({ server: question.server, from: at, to: clock.wall() });
        if (this.#waits.length > MAX_WAITS) this.#waits.shift();
        feed.emit('question.gone', { id, why: answer === undefined ? 'cancelled' : 'answered' });
        resolve(answer);
      };
      const cancel = (): void => settle(undefined);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#open.set(id, { question, settle });
      feed.emit('question', { question });
    });
  }

  /** Pages see what is asked, and only the user at the terminal answers. Throws after a no. */
  async askInTerminal(asked: TerminalQuestion, confirm: () => Promise<boolean>): Promise<void> {
    const over = new AbortController();
    void this.ask({ ...asked, warnings: [], inTerminal: true }, over.signal);
    const isAllowed = await confirm().finally(() => over.abort());
    if (isAllowed) return;
    const [method, what] =
      asked.kind === 'command' ? ['Adding the command', 'started'] : ['Showing the value', 'shown'];
    throw new McpError('MCP_CANCELLED', { method, why: `you did not agree in the terminal, so nothing was ${what}` });
  }

  /** For the host. */
  readonly hostConsent: Consent = {
    ask: (question, signal) => this.#askConsent(question, signal),
  };

  readonly handler: QuestionHandler = {
    form: async ({ requestedSchema, values, ...question }, signal) => {
      const { server } = question;
      const message = this.#options.scrub(server, question.message);
      // What can be chosen and what is filled in stay as they are: they are sent back.
      const fields = Object.entries(requestedSchema.properties).map(([name, field]) => {
        const { title, description } = field;
        return [name, { ...field, ...this.#options.scrub(server, { title, description }) }] as const;
      });
      const schema = { ...requestedSchema, properties: Object.fromEntries(fields) };
      const shown = { ...question, message, requestedSchema: schema, values: { ...values } };
      const answer = await this.ask({ kind: 'form', ...shown }, signal);
      if (answer?.kind !== 'form') return { action: 'cancel' };
      // The host compares it with the schema, and asks again.
      const content = 'content' in answer ? (answer.content as Readonly<Record<string, FormValue>>) : undefined;
      return content === undefined ? { action: answer.action } : { action: 'accept', content };
    },
    // The page opens it, with a click of the user.
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

  /** What a configuration leaves open. */
  readonly inputs: InputSource = async ({ id, description, password, default: usual, options }, { server }) => {
    const about = { description: description ?? id, password, default: usual, options, warnings: [] };
    const answer = await this.ask({ kind: 'input', server, ...about }, undefined);
    if (answer?.kind === 'input' && answer.action === 'accept') return answer.text;
    throw new McpError('MCP_CANCELLED', { method: `The server "${server}"`, why: `no value was given for "${id}"` });
  };

  /** Where no model is configured, the user speaks for it. */
  readonly userAsModel: Model = {
    models: [{ name: 'you' }],
    reply: async (request, options = {}) => {
      const plain = JSON.parse(JSON.stringify(request)) as JsonObject; // a plain object
      // Which server asks for it is not known here.
      const shown = this.#options.scrub('', plain);
      const answer = await this.ask({ kind: 'sampling', server: '', request: shown, warnings: [] }, options.signal);
      if (answer?.kind !== 'sampling' || answer.action === 'decline')
        throw new McpError('MCP_CANCELLED', { method: 'A model', why: 'the user declined to answer for it' });
      return { model: 'you', content: [{ type: 'text', text: answer.text }], stopReason: 'endTurn' };
    },
  };

  async #askConsent({ id: _, act, ...question }: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    const { scrub, ruleIndex } = this.#options;
    const { server } = act;
    const shown = scrub(server, { ...act });
    const { rule, why, warnings } = question;
    const texts = scrub(server, { rule, why, warnings });
    const asked = { kind: 'consent', server, ruleIndex: ruleIndex(rule), ...question, act: shown, ...texts } as const;
    const answer = await this.ask(asked, signal);
    if (answer?.kind !== 'consent') return { allow: false, reason: 'the question is over' };
    const { arguments: changed, ...rest } = answer.answer;
    const restored = changed === undefined ? undefined : restoreMasked(changed, shown.arguments, act.arguments);
    return { ...rest, binding: question.binding, ...(restored === undefined ? {} : { arguments: restored }) };
  }
}
