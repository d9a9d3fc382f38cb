/** Answers elicitation: shows forms, which the user reviews before they are sent, and opens pages after the user's consent. */
import { encodeFormAnswer } from '../../client/elicitation.ts';
import type { ElicitHandlers, FormRequest, QuestionContext, UrlRequest, UrlWarning } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ElicitResult } from '../../model/elicitation.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { Act } from '../act/act.ts';
import type { Permit } from '../gate/gate.ts';
import { warningsIn } from '../text/inspect.ts';
import { type AnswerContext, answerAct } from './answer-act.ts';
import { perMinute } from './per-minute.ts';
import type { QuestionHandler, UrlVisit } from './question-handler.ts';
import { secretFieldWarnings } from './secret-fields.ts';

/** Rate limit for forms and pages of one server together. */
const PER_MINUTE = 10;
/** Invalid answers, before the form is cancelled. */
const MAX_TRIES = 5;
const REPEATED = 'The call continues after this visit.';

type Action = Pick<ElicitResult, 'action'>;

export interface ElicitationOptions extends AnswerContext {
  readonly questions: QuestionHandler;
}

export class Elicitation {
  readonly handlers: ElicitHandlers;
  readonly #options: ElicitationOptions;
  readonly #tryTake: () => boolean;

  constructor(options: ElicitationOptions) {
    this.#options = options;
    this.#tryTake = perMinute(PER_MINUTE, options.clock);
    this.handlers = {
      form: (request, context) =>
        this.#askIfAllowed(this.#act('elicitation', 'form'), () => this.#form(request, context)),
      ...(options.questions.open === undefined
        ? {}
        : {
            url: (request, context) =>
              this.#askIfAllowed(this.#act('visit', request.url), () => this.#visit(request, context)),
            required: (requests, context) => this.#visitAll(requests, context),
          }),
    };
  }

  /** Declines without asking the user if the rules deny the act, or the rate limit is exceeded. */
  async #askIfAllowed<A extends Action>(act: Act, run: () => Promise<A>): Promise<A | Action> {
    if (this.#options.gate.foresee(act) === 'deny' || !this.#tryTake()) return { action: 'decline' };
    try {
      return await run();
    } catch (error) {
      if (error instanceof McpError && error.code === 'MCP_DENIED') return { action: 'decline' };
      throw error;
    }
  }

  async #form(request: FormRequest, { signal, task }: QuestionContext): Promise<ElicitResult> {
    const warnings = [...secretFieldWarnings(request.requestedSchema), ...warningsIn('Its message', request.message)];
    const answer = await this.#fillForm(request, warnings, signal);
    if (answer.action !== 'accept') return { action: answer.action };
    const act = { ...this.#act('elicitation', 'form'), arguments: { ...answer } };
    // What the user entered, or changed on review. The client validates it again.
    const run = async (permit: Permit): Promise<ElicitResult> => permit.arguments as unknown as ElicitResult;
    return this.#options.gate.pass(act, run, { signal, task, warnings, editable: true, outcome: () => 'sent' });
  }

  /** Shows the form again, with the fault, until the answer is valid. Cancels after `MAX_TRIES`. */
  async #fillForm(request: FormRequest, warnings: readonly string[], signal: AbortSignal): Promise<ElicitResult> {
    const { server, questions, activeCalls } = this.#options;
    const { message, requestedSchema, defaults } = request;
    const during = activeCalls.actOf(server.label);
    let [values, fault]: [typeof defaults, string | undefined] = [defaults, undefined];
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await questions.form(
        { server: server.label, during, message, requestedSchema, values, warnings, fault },
        signal,
      );
      if (answer.action !== 'accept') return answer;
      try {
        return encodeFormAnswer(request, answer) as unknown as ElicitResult; // accepted, so it has the content
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        fault = String(error.details['why']);
        values = { ...defaults, ...answer.content };
      }
    }
    return { action: 'cancel' };
  }

  /** Asks for all visits in sequence, until the user declines one. */
  async #visitAll(requests: readonly UrlRequest[], context: QuestionContext): Promise<boolean> {
    for (const request of requests) {
      const act = this.#act('visit', request.url);
      const { action } = await this.#askIfAllowed(act, () => this.#visit(request, context, REPEATED));
      if (action !== 'accept') return false;
    }
    return true;
  }

  async #visit(
    { url, host, message, warnings, completed }: UrlRequest,
    { signal, task }: QuestionContext,
    follows?: string,
  ): Promise<Action> {
    if (!isSafeToVisit(url)) return { action: 'decline' };
    const act: Act = { ...this.#act('visit', url), arguments: { action: 'accept', host, message } };
    const visit = { server: this.#options.server.label, url, host, completed };
    const allWarnings = [
      ...(follows === undefined ? [] : [follows]),
      ...visitWarnings(host, warnings),
      ...warningsIn('Its message', message),
    ];
    const open = (): Promise<Action> => this.#openPage(visit, signal, follows !== undefined);
    const outcome = (result: unknown): string => (isDone(result) ? 'opened' : 'cancelled');
    return this.#options.gate.pass(act, open, { signal, task, warnings: allWarnings, outcome });
  }

  /** Opens the page. Not every server reports the end of a visit, so the user can continue, open it again, or cancel. */
  async #openPage(visit: UrlVisit, signal: AbortSignal, required: boolean): Promise<Action> {
    const { questions } = this.#options;
    for (;;) {
      await questions.open?.(visit.url, signal);
      const next = required
        ? await this.#untilVisitEnds(visit, signal)
        : ((await questions.visiting?.(visit, signal)) ?? 'done');
      if (next !== 'again') return { action: next === 'done' ? 'accept' : 'cancel' };
    }
  }

  /** Waits until the server reports the end of the visit, or the user answers. Without `visiting`, waits for the server only. */
  async #untilVisitEnds(visit: UrlVisit, signal: AbortSignal): Promise<'done' | 'again' | 'cancel'> {
    const ended = new AbortController();
    const completed = visit.completed.then(() => 'done' as const);
    const asked = this.#options.questions.visiting?.(visit, AbortSignal.any([signal, ended.signal]));
    const result = asked === undefined ? untilAborted(completed, signal) : Promise.race([asked, completed]);
    // Also dismisses the question to the user.
    void completed.then(() => ended.abort());
    return result;
  }

  #act(kind: Act['kind'], name: string): Act {
    return answerAct(this.#options, { kind, name, arguments: { action: 'accept' } });
  }
}

/** Requires HTTPS, except on this machine: unencrypted pages can be read and changed in transit without the user's notice. */
export function isSafeToVisit(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** Warnings for the user before a page is opened. */
export const visitWarnings = (host: string, warnings: readonly UrlWarning[]): readonly string[] => [
  `It leads to ${host}.`,
  ...warnings.map((one) => warningTexts[one]),
];

const warningTexts: Readonly<Record<UrlWarning, string>> = {
  credentials: 'The URL contains a user name or a password, as forged URLs do.',
  insecure: 'Others on the network can read what is sent there.',
  punycode: 'Its host name has letters that look like others.',
};

const isDone = (result: unknown): boolean => isObject(result) && result['action'] === 'accept';
