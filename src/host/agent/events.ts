/** What happens while an agent works, in the order in which it happens. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** What stopped a run before the model was done. */
export type RunLimit = 'turns' | 'calls' | 'tokens' | 'time';

/** What happens in a run of an agent, as it happens. */
export type AgentEvent =
  /** More of what the model says. */
  | { readonly type: 'text'; readonly text: string }
  /** The rules demand the user's consent to a call. */
  | { readonly type: 'approval'; readonly id: string; readonly name: string; readonly arguments: JsonObject }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly arguments: JsonObject }
  /** How far a call is, as the server says. */
  | {
      readonly type: 'progress';
      readonly id: string;
      readonly name: string;
      readonly progress: number;
      readonly total?: number | undefined;
      readonly message?: string | undefined;
    }
  /** What came of it. `act` is for `host.explain`; without it, nothing was sent. */
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
      readonly act?: string;
    }
  /** A rule denied the call or the user declined it, and the model knows. `act` is for `host.explain`. */
  | {
      readonly type: 'denied';
      readonly id: string;
      readonly name: string;
      readonly why: string;
      readonly rule: string;
      readonly act: string;
    }
  /** Of the whole run so far. */
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  /** The last event of a run: what the model said last. */
  | { readonly type: 'done'; readonly text: string; readonly stopReason: string; readonly limit?: RunLimit }
  /** The last event of a run that failed or was cancelled. */
  | { readonly type: 'error'; readonly error: Error };
