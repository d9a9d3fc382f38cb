/** Asking the client by sending it a request on the same conversation, and waiting. */
import { McpError, ToolError } from '../../errors.ts';
import { isFailure } from '../../jsonrpc/message.ts';
import type { AskContext, Asking, Asks, Question } from '../contract.ts';
import { decodeAnswer, encodeQuestion } from '../encode-questions.ts';
import { missingFor, nameOf } from './capability.ts';

export const backChannel: Asks = {
  begin: (context) => new LiveAsking(context),
  resumes: () => false,
  wanted: () => undefined,
};

class LiveAsking implements Asking {
  readonly #context: AskContext;
  readonly #done: Map<string, Promise<unknown>> = new Map();

  constructor(context: AskContext) {
    this.#context = context;
  }

  async ask(_key: string, question: Question): ReturnType<Asking['ask']> {
    const { caller, link, revision } = this.#context;
    const missing = missingFor(question, caller.capabilities, revision.words);
    if (missing !== undefined) {
      throw new McpError('MCP_CANNOT_ASK', { what: question.method, capability: nameOf(missing) });
    }
    const params = encodeQuestion(revision.words, question);
    const { method } = question;
    const bare = Object.keys(params).length === 0;
    // The channel gives the request an id of its own.
    const response = await link.ask(
      bare ? { jsonrpc: '2.0', id: 0, method } : { jsonrpc: '2.0', id: 0, method, params },
    );
    // The client's refusal is the handler's to deal with; it is not an error of our own protocol.
    if (isFailure(response)) throw new ToolError(`The client refused ${method}: ${response.error.message}`);
    return decodeAnswer(revision.words, question, response.result);
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const before = this.#done.get(key);
    if (before !== undefined) return before as Promise<T>; // the same key is the same step
    const now = Promise.resolve().then(run);
    this.#done.set(key, now);
    return now;
  }

  outcome(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
