/** The questions of a handler: elicitation, sampling and roots. Loaded with the first question. */
import { badDefinition, McpError, ToolError } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import {
  blocksOf,
  type CreateMessageParams,
  type CreateMessageResult,
  type Root,
  samplingFault,
} from '../model/sampling.ts';
import type { Feature } from '../peer/warnings.ts';
import type { ClientRequests, Revision } from '../revisions/contract.ts';
import type { Vocabulary } from '../revisions/vocabulary.ts';
import { checker, describe, type Schema } from '../schema/index.ts';
import { ownChecker } from '../schema/own-checker.ts';
import type { Answer, Visit, VisitAnswer } from './context.ts';
import { formOf } from './form.ts';

export interface HandlerQuestionContext {
  /** The method or part that is running, for error texts. */
  what(): string;
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  warnDeprecated(feature: Feature): void;
}

export class HandlerQuestions {
  readonly asking: ClientRequests;
  readonly #about: HandlerQuestionContext;
  #isFinished = false;

  constructor(asking: ClientRequests, about: HandlerQuestionContext) {
    this.asking = asking;
    this.#about = about;
  }

  ask(key: string, message: string, wanted: Schema | Visit): Promise<Answer<unknown> | VisitAnswer> {
    this.#checkQuestion(key, message);
    if (!isSchema(wanted))
      throw badDefinition(this.#named(key), 'ctx.ask(key, message, schema) needs a schema, or { url }');
    return isVisit(wanted) ? this.#visit(key, message, wanted) : this.#form(key, message, wanted);
  }

  async confirm(key: string, message: string): Promise<boolean> {
    this.#checkQuestion(key, message);
    const requestedSchema = {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Confirm', description: message, default: false } },
      required: ['confirm'],
    };
    const { action, content } = await this.#elicit(key, { mode: 'form', message, requestedSchema });
    return action === 'accept' && isObject(content) && content['confirm'] === true;
  }

  async sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult> {
    const { capabilities, revision } = this.#about;
    const fault = samplingFault(params) ?? (await structuredResultFault(params, this.#named(key)));
    if (fault !== undefined) throw badDefinition(this.#named(key), fault);
    this.#about.warnDeprecated('sampling');
    const asked = withoutUnsupportedContext(params, capabilities, revision.vocabulary);
    return readSampledMessage(await this.asking.ask(key, { method: 'sampling/createMessage', params: asked }));
  }

  async roots(key: string): Promise<readonly Root[]> {
    this.#about.warnDeprecated('roots');
    const { roots } = await this.asking.ask(key, { method: 'roots/list', params: {} });
    return Array.isArray(roots) ? roots.filter(isRoot) : [];
  }

  /**
   * Called when the handler has ended, with the key of a question that it did not await. Resolves with the interim result to send
   * instead of its outcome, if a question suspended it.
   */
  finish(what: string, thrown: unknown, unawaited?: string): Promise<JsonObject | undefined> | undefined {
    this.#isFinished = true;
    if (thrown === undefined && unawaited !== undefined)
      throw new McpError('MCP_SUSPENSION_SWALLOWED', { what, key: unawaited });
    return this.asking.outcome(what, thrown);
  }

  async #form(key: string, message: string, schema: Schema): Promise<Answer<unknown>> {
    const what = this.#named(key);
    // Proven synchronously, with `ownChecker`: a form that cannot be checked is not shown to the user, and questions of one turn share a round.
    const form = checker(schema, { what, side: 'input' }, ownChecker);
    const requestedSchema = formOf(form.jsonSchema, what);
    const { action, content } = await this.#elicit(key, { mode: 'form', message, requestedSchema });
    if (action !== 'accept') return notAccepted(action);
    const checked = await form.check(content ?? {});
    // The content is the client's own, so the client can read what is wrong with it.
    if (!checked.ok) throw new ToolError(`The answer to ${what} does not fit the form: ${describe(checked.issues)}`);
    return { action, accepted: true, value: checked.value };
  }

  async #visit(key: string, message: string, { url }: Visit): Promise<VisitAnswer> {
    if (!URL.canParse(url)) {
      throw badDefinition(this.#named(key), `"${url}" is no absolute URL`);
    }
    const { action } = await this.#elicit(key, { mode: 'url', message, url });
    if (action !== 'accept') return notAccepted(action);
    return {
      action,
      accepted: true,
      completed: () => {
        if (!this.#isFinished) this.asking.completeVisit(key);
      },
    };
  }

  #elicit(key: string, params: JsonObject): Promise<JsonObject> {
    return this.asking.ask(key, { method: 'elicitation/create', params });
  }

  /** Checks the arguments of handlers without TypeScript: otherwise the error would blame the client. */
  #checkQuestion(key: string, message: string): void {
    if (typeof key === 'string' && typeof message === 'string') return;
    throw badDefinition(this.#named(key), 'its first arguments must be a key and a message, both text');
  }

  #named(key: string): string {
    return `question "${key}" of ${this.#about.what()}`;
  }
}

const isSchema = (wanted: unknown): boolean => typeof wanted === 'function' || isObject(wanted);

const isVisit = (wanted: Schema | Visit): wanted is Visit =>
  'url' in wanted && typeof wanted.url === 'string' && !('~standard' in wanted);

const isRoot = (root: unknown): root is Root => isObject(root) && typeof root['uri'] === 'string';

const notAccepted = (action: unknown): Exclude<Answer<never>, { accepted: true }> => ({
  action: action === 'decline' ? 'decline' : 'cancel',
  accepted: false,
});

/** Removes `includeContext` if the client does not declare that it can include context, in revisions that have the capability. */
function withoutUnsupportedContext(
  params: CreateMessageParams,
  has: ClientCapabilities,
  vocabulary: Vocabulary,
): JsonObject {
  const { includeContext = 'none', ...rest } = params;
  const declares = vocabulary.members.SamplingCapability.includes('context');
  const refrain = declares && !isObject(has.sampling?.context);
  return includeContext === 'none' || refrain ? rest : { ...rest, includeContext };
}

/** Why a structured tool result does not match the output schema of its tool. Results of failed tools are not checked. */
async function structuredResultFault(params: CreateMessageParams, what: string): Promise<string | undefined> {
  const { messages, tools = [] } = params;
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const names = new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
  for (const block of blocks) {
    if (block.type !== 'tool_result' || !('structuredContent' in block) || block.isError === true) continue;
    const { name, outputSchema } = tools.find((one) => one.name === names.get(block.toolUseId)) ?? {};
    if (outputSchema === undefined) continue;
    const result = `the result of tool "${name}" in ${what}`;
    const checked = await checker(outputSchema, { what: result, side: 'output' }).check(block.structuredContent);
    if (!checked.ok) return `${result} does not fit its outputSchema: ${describe(checked.issues)}`;
  }
  return undefined;
}

/** Stop reasons in the spelling of model providers, which some clients pass on. */
const reasons: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
  ['tool_use', 'toolUse'],
]);

function readSampledMessage(answer: JsonObject): CreateMessageResult {
  const own = reasons.get(answer['stopReason']);
  const message: unknown = own === undefined ? answer : { ...answer, stopReason: own };
  return message as CreateMessageResult; // its shape was checked when it arrived
}
