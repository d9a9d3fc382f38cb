/** IPC messages between `mooring dev` and the child process of a version. */
import type { JsonObject, Message, RpcNotification, RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../model/caller.ts';
import type { PeerSession } from '../../peer/session.ts';

export interface VersionOffer {
  readonly name: string;
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** `at` is the number of a conversation, `id` of a message, `question` of a request from the version to the client. */
export type ToVersion =
  | { readonly kind: 'open'; readonly at: number; readonly session: PeerSession }
  | { readonly kind: 'close'; readonly at: number }
  | {
      readonly kind: 'message';
      readonly at: number;
      readonly id: number;
      readonly message: Message;
      readonly session: PeerSession;
      /** The link supports `release` (closing the stream before the response). */
      readonly releasable: boolean;
    }
  | { readonly kind: 'cancel'; readonly id: number; readonly why: string }
  | { readonly kind: 'answer'; readonly question: number; readonly response?: RpcResponse; readonly fault?: string };

export type FromVersion =
  | { readonly kind: 'ready'; readonly offer: VersionOffer }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'response'; readonly id: number; readonly response?: RpcResponse; readonly session: PeerSession }
  | { readonly kind: 'notify'; readonly at: number; readonly id?: number; readonly notification: RpcNotification }
  | {
      readonly kind: 'ask';
      readonly at: number;
      readonly id?: number;
      readonly question: number;
      readonly request: RpcRequest;
    }
  | { readonly kind: 'release'; readonly id: number; readonly retryMs?: number }
  | { readonly kind: 'end' | 'renew'; readonly at: number };
