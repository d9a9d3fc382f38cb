/** The user's side of what servers ask: the application shows it, and nothing else does. */
import type { ElicitResult, FormSchema, FormValue } from '../../model/elicitation.ts';
import type { Act } from '../act/act.ts';

/** A form of a server, for the user. */
export interface FormQuestion {
  /** Who asks, by the label that the host gave it. Show it. */
  readonly server: string;
  /** The act that the server is working on, if there is just one. */
  readonly during?: Pick<Act, 'kind' | 'name'> | undefined;
  /** What the server says about why. It is the server's text: show it as such, with no address in it to click on. */
  readonly message: string;
  readonly requestedSchema: FormSchema;
  /** What to begin with: the server's defaults, or what was entered before. */
  readonly values: Readonly<Record<string, FormValue>>;
  /** What to look at twice. */
  readonly warnings: readonly string[];
  /** What is wrong with what was entered before. */
  readonly fault: string | undefined;
}

/** A page that the user is looking at for a server. */
export interface UrlVisit {
  readonly server: string;
  readonly url: string;
  readonly host: string;
  /** Resolves if the server says that the visit is over. Many never do. */
  readonly completed: Promise<void>;
}

/** How a user is asked on behalf of servers. */
export interface QuestionHandler {
  /** Shows a form whose answers can be changed until they are sent. Declining and cancelling must always be possible. */
  form(question: FormQuestion, signal: AbortSignal): Promise<ElicitResult>;
  /** Opens an address where neither this program nor a model sees the page: the user's own browser. Called after consent only. */
  open?(url: string, signal: AbortSignal): Promise<void>;
  /** While the user is there: go on, open it again, or cancel. Without it, the host goes on at once. */
  visiting?(visit: UrlVisit, signal: AbortSignal): Promise<'done' | 'again' | 'cancel'>;
}
