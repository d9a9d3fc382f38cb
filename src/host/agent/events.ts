/** The events of an agent run. */
import type { JsonObject } from '../../jsonrpc/message.ts';

/** The limit that stopped a run. */
export type RunLimit = 'turns' | 'calls' | 'tokens' | 'time';

/**
 * An event of an agent run, in order of occurrence. Each call of the model has one `tool-start` and then one end event, `tool-result`
 * or `denied`. A name is that of the catalogue.
 */
export type AgentEvent =
  /** A chunk of the model's text. */
  | { readonly type: 'text'; readonly text: string }
  /** The rules require the user's consent to a call. */
  | { readonly type: 'approval'; readonly id: string; readonly name: string; readonly arguments: JsonObject }
  /** A call of the model, before the user is asked and before anything is sent. */
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly arguments: JsonObject }
  /** A progress report of the server. */
  | {
      readonly type: 'progress';
      readonly id: string;
      readonly name: string;
      readonly progress: number;
      readonly total?: number | undefined;
      readonly message?: string | undefined;
    }
  /** The result of a call, or why it failed or was stopped. `act` is for `host.explain`; absent if no request was sent. */
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
      readonly act?: string;
    }
  /** A rule denied the call, or the user declined it. The model is informed. `act` is for `host.explain`. */
  | {
      readonly type: 'denied';
      readonly id: string;
      readonly name: string;
      readonly why: string;
      readonly rule: string;
      readonly act: string;
    }
  /** Total tokens of the run so far. */
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  /** The last event of a run, with the model's last text. */
  | { readonly type: 'done'; readonly text: string; readonly stopReason: string; readonly limit?: RunLimit }
  /** The last event of a run that failed or was cancelled. */
  | { readonly type: 'error'; readonly error: Error };
