/** What all conversations of a view share, across reloads. */
import { RpcError } from '../../errors.ts';
import { failure, INTERNAL_ERROR, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import type { Link } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { ChangeHub } from '../../server/change-hub.ts';
import type { ConversationCore, ServerConversation } from '../../server/conversation.ts';
import { answerViewRequest } from './answer-view.ts';
import type { GatewayState } from './gateway-state.ts';
import { viewCapabilities } from './view-capabilities.ts';

/** Streams of changes that a view has open at a time. */
const MAX_LISTENERS = 50_000;

export class ViewChannel implements ConversationCore<ViewChannel> {
  readonly name: string;
  readonly changes: ChangeHub = new ChangeHub();
  readonly #state: () => GatewayState;

  /** `state` says what messages are answered with from now on. */
  constructor(name: string, state: () => GatewayState) {
    this.name = name;
    this.#state = state;
  }

  get settings(): ConversationCore<ViewChannel>['settings'] {
    return { maxListeners: MAX_LISTENERS, revisions: this.#state().revisions };
  }

  readonly catalogue: ConversationCore<ViewChannel>['catalogue'] = {
    capabilities: () => {
      const view = this.#state().views.get(this.name);
      return view === undefined ? {} : viewCapabilities(view);
    },
  };

  answer(request: RpcRequest, link: Link, conversation: ServerConversation<ViewChannel>): Promise<RpcResponse> {
    const state = this.#state();
    const view = state.views.get(this.name);
    if (view !== undefined) return answerViewRequest(request, link, { state, view, conversation });
    const gone = new RpcError(INTERNAL_ERROR, `The view ${this.name} is no longer served`);
    return Promise.resolve(failure(request.id, gone));
  }

  readonly sessionEnded = (session: PeerSession): void => this.#state().upstreams.endSession(session);
}
