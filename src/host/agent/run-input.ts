/** Converts the input of a run to messages for the model. */
import type { PromptResult } from '../../client/index.ts';
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { valueKind } from '../../model/value-kind.ts';
import { forModel, warningOf } from '../catalogue/for-model.ts';
import type { SessionResults } from '../catalogue/results.ts';
import type { ModelMessage } from '../models/model.ts';
import { escapeUnprintable } from '../text/invisible.ts';

/** The messages of a prompt, with its name in the catalogue: show them, or pass them to `session.run`. */
export interface SessionPrompt extends PromptResult {
  readonly name: string;
}

/**
 * What the model gets: text, a prompt of a server, or messages, for example with images. The messages of an earlier session before
 * them restore its conversation.
 */
export type RunInput = string | SessionPrompt | readonly ModelMessage[];

/** Throws for input of another kind. */
export function checkRunInput(input: unknown): void {
  if (typeof input === 'string' || isList(input, Array.isArray)) return;
  if (isObject(input) && isList(input['messages'], isObject)) return;
  throw badDefinition(
    'session.run(input, options)',
    `expected text, a result of session.prompt() or a list of messages, not ${valueKind(input)}`,
  );
}

const isList = (messages: unknown, isContent: (content: unknown) => boolean): boolean =>
  Array.isArray(messages) && messages.length > 0 && messages.every((one) => isObject(one) && isContent(one['content']));

/** The user chose the prompt, so its text is not fenced; files in it are, and suspicious text gets a warning. */
export function toModelMessages(input: RunInput, results: SessionResults): readonly ModelMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  if (!('messages' in input)) return input;
  return input.messages.map(({ role, content }): ModelMessage => {
    if (content.type !== 'text') return { role, content: forModel([content], input.name, results) };
    const text = [...warningOf(content.text), escapeUnprintable(content.text)].join('\n');
    return { role, content: [{ type: 'text', text }] };
  });
}

/** The text of the last message, by which tools are selected. */
export const lastTextOf = (messages: readonly ModelMessage[]): string => textOf(messages.at(-1)?.content ?? []);

export const textOf = (content: ModelMessage['content']): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
