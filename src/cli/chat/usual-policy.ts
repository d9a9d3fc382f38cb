/** The rules of a chat where nobody brought any: what was asked for on the command line may be opened, and every call is asked about. */
import type { Rule } from '../../host/act/rule.ts';
import { rules } from '../../host/policy/rules.ts';

export const usualPolicy: readonly Rule[] = [
  // They were typed, or agreed to before the chat began.
  rules.allow({ kind: ['spawn', 'connect'] }),
  // Only the person asks for these: a model gets neither.
  rules.allow({ kind: ['resource', 'prompt', 'completion'] }),
  // A form is shown as it would be sent, and sent by whoever filled it in.
  rules.allow({ kind: 'elicitation' }),
];
