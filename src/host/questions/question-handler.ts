/** The interface with which an application shows questions of servers to the user. */
import type { ElicitResult, FormSchema, FormValue } from '../../model/elicitation.ts';
import type { Act } from '../act/act.ts';

/** A form from a server, for the user to fill in. */
export interface FormQuestion {
  /** The label of the server that asks. Show it. */
  readonly server: string;
  /** The action that the server is processing, if there is exactly one. */
  readonly during?: Pick<Act, 'kind' | 'name'> | undefined;
  /** The server's text about its reason. Mark it as such, and make no URL in it clickable. */
  readonly message: string;
  readonly requestedSchema: FormSchema;
  /** Initial values: the server's defaults, or what the user entered before. */
  readonly values: Readonly<Record<string, FormValue>>;
  /** Warnings to show with the form. */
  readonly warnings: readonly string[];
  /** Why the previous input is invalid. */
  readonly fault: string | undefined;
}

/** A visit of the user to a page that a server named. */
export interface UrlVisit {
  readonly server: string;
  readonly url: string;
  readonly host: string;
  /** Resolves when the server reports the end of the visit. Many servers never do. */
  readonly completed: Promise<void>;
}

/** Asks the user on behalf of servers. */
export interface QuestionHandler {
  /** Shows a form whose answers can be changed until they are sent. Declining and cancelling must always be possible. */
  form(question: FormQuestion, signal: AbortSignal): Promise<ElicitResult>;
  /** Opens a URL in the user's own browser, where neither this program nor a model sees the page. Called only after consent. */
  open?(url: string, signal: AbortSignal): Promise<void>;
  /**
   * Asks during a visit whether to continue, open the page again, or cancel. Without it, the host continues immediately or, if a call
   * needs the visit, when the server reports its end.
   */
  visiting?(visit: UrlVisit, signal: AbortSignal): Promise<'done' | 'again' | 'cancel'>;
}
