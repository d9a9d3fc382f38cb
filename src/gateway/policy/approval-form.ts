/** The form of an `ask` rule, and the check of its answer. */
import { isObject } from '../../jsonrpc/message.ts';
import { cutText } from '../../model/cut-text.ts';
import type { ElicitResult } from '../../model/elicitation.ts';
import { printable } from '../../model/printable.ts';
import type { CallerForm } from '../bridge/ask-caller.ts';
import type { RoutedRequest } from '../contract.ts';

/** Methods that can be answered with questions. For all others, an `ask` rule denies. */
export const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const MAX_SHOWN = 2_000;

/** A checkbox that the user must tick: a client that accepts forms with their defaults approves nothing. */
export function approvalForm({ part, params }: RoutedRequest): CallerForm {
  const { label, kind, key, name } = part;
  const what = kind === 'tool' || kind === 'prompt' ? `the ${kind} "${key}"` : `"${key}"`;
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  const given = Object.keys(args).length > 0 ? `Arguments: ${JSON.stringify(args)}` : 'No arguments.';
  return {
    message: `[${label}] Allow ${kind === 'tool' ? 'a call of' : 'reading'} ${shown(what)}? ${shown(given)}`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: `Allow ${shown(name)}`, default: false } },
      required: ['confirm'],
    },
  };
}

export const isApproval = ({ action, content }: ElicitResult): boolean =>
  action === 'accept' && content?.['confirm'] === true;

/** Escapes invisible characters, and says how many characters were cut. */
function shown(text: string): string {
  const safe = printable(text);
  return safe.length <= MAX_SHOWN ? safe : `${cutText(safe, MAX_SHOWN)}… (${safe.length - MAX_SHOWN} more characters)`;
}
