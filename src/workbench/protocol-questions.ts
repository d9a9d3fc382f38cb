/** Protocol types for questions to the user and their answers. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';

interface QuestionBase {
  readonly id: string;
  readonly server: string;
  readonly at: number;
  /** Reasons to be careful, shown with the question. */
  readonly warnings: readonly string[];
  /** The page only displays the question; the user answers it in the terminal. */
  readonly inTerminal?: true | undefined;
}
/** A question that waits for the user. The verb `consent` answers kind `consent`, the verb `answer` all others. */
export type OpenQuestion =
  | (QuestionBase & {
      readonly kind: 'consent';
      /** The complete action: kind, name, arguments, effects. */
      readonly act: JsonObject;
      readonly binding: string;
      /** The rule that asks, or `none` if no rule matches. `ruleIndex` is its index in `policy.rules`, if it is one of them. */
      readonly rule: string;
      readonly ruleIndex?: number | undefined;
      readonly why: string;
      readonly editable: boolean;
      /** False if the approval cannot be remembered. */
      readonly canRemember: boolean;
    })
  | (QuestionBase & {
      readonly kind: 'form';
      readonly during?: { readonly kind: string; readonly name: string } | undefined;
      readonly message: string;
      readonly requestedSchema: JsonObject;
      readonly values: JsonObject;
      /** Why the previous answer was invalid. */
      readonly fault?: string | undefined;
    })
  /** The server wants the user to visit `url`. The user opens it with a click. */
  | (QuestionBase & { readonly kind: 'visit'; readonly url: string; readonly host: string })
  /** A server wants to sample a model, and none is configured: the user replies for it. `request` is the sampling request. */
  | (QuestionBase & { readonly kind: 'sampling'; readonly request: JsonObject })
  /** A configuration file needs a value (an input). */
  | (QuestionBase & {
      readonly kind: 'input';
      readonly description: string;
      readonly password: boolean;
      readonly default?: string | undefined;
      readonly options?: readonly string[] | undefined;
    })
  /** A page requested a masked value. Answered in the terminal. */
  | (QuestionBase & { readonly kind: 'reveal'; readonly what: string })
  /** The user typed a command into a page. Answered in the terminal. */
  | (QuestionBase & { readonly kind: 'command'; readonly commandLine: string; readonly variables: readonly string[] });

export type AnswerValue =
  | { readonly kind: 'form'; readonly action: 'accept'; readonly content: JsonObject }
  | { readonly kind: 'form'; readonly action: 'decline' | 'cancel' }
  | { readonly kind: 'visit'; readonly action: 'done' | 'again' | 'cancel' }
  | { readonly kind: 'sampling'; readonly action: 'accept'; readonly text: string }
  | { readonly kind: 'sampling'; readonly action: 'decline' }
  | { readonly kind: 'input'; readonly action: 'accept'; readonly text: string }
  | { readonly kind: 'input'; readonly action: 'cancel' };
export interface ConsentValue {
  readonly allow: boolean;
  readonly remember?: { readonly for: 'these arguments' | 'any arguments'; readonly until: 'session' | number };
  readonly arguments?: JsonObject;
  readonly reason?: string;
}
