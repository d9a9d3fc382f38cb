/** What the page of the workbench is asked, and what it answers. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';

interface QuestionBase {
  readonly id: string;
  readonly server: string;
  readonly at: number;
  /** What to look at twice. */
  readonly warnings: readonly string[];
  /** Why nothing can be answered here: a command is asked about in the terminal. */
  readonly inTerminal?: true | undefined;
}
/** What the user is asked now. `consent` answers the first kind, `answer` all others. */
export type OpenQuestion =
  | (QuestionBase & {
      readonly kind: 'consent';
      /** The act whole: its kind, name, arguments, effects, rule. */
      readonly act: JsonObject;
      readonly binding: string;
      /** The rule that asks, and its place in `policy.rules`, where it is one of them; `none` where no rule matches. */
      readonly rule: string;
      readonly ruleIndex?: number | undefined;
      readonly why: string;
      readonly editable: boolean;
      /** False where it is asked about each time. */
      readonly canRemember: boolean;
    })
  | (QuestionBase & {
      readonly kind: 'form';
      readonly during?: { readonly kind: string; readonly name: string } | undefined;
      readonly message: string;
      readonly requestedSchema: JsonObject;
      readonly values: JsonObject;
      /** What is wrong with what was entered before. */
      readonly fault?: string | undefined;
    })
  /** The user is at a page for the server. `open` is the URL, which the user opens with a click. */
  | (QuestionBase & { readonly kind: 'visit'; readonly url: string; readonly host: string })
  /** Where no model is configured, the user speaks for it. `request` is what a model would get. */
  | (QuestionBase & { readonly kind: 'sampling'; readonly request: JsonObject })
  /** A value that a configuration leaves open. */
  | (QuestionBase & {
      readonly kind: 'input';
      readonly description: string;
      readonly password: boolean;
      readonly default?: string | undefined;
      readonly options?: readonly string[] | undefined;
    })
  /** A page wants to see a masked value. Answered in the terminal. */
  | (QuestionBase & { readonly kind: 'reveal'; readonly what: string })
  /** A command was typed into a page. Answered in the terminal. */
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
