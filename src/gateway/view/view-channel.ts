/** One view as it is served: what all its conversations share, across reloads. */
import { RpcError } from '../../errors.ts';
import { failure, INTERNAL_ERROR, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import type { MirroredHeader } from '../../model/mirrored-headers.ts';
import type { Link, Servable, ServedConversation } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { withTimeout } from '../../peer/wait.ts';
import { ChangeHub } from '../../server/change-hub.ts';
import { type ConversationCore, ServerConversation } from '../../server/conversation.ts';
import { answerViewRequest } from './answer-view.ts';
import type { GatewayState } from './gateway-state.ts';
import { viewCapabilities } from './view-capabilities.ts';

/** Streams of changes that a view has open at a time. */
const MAX_LISTENERS = 50_000;
/** How long the start of a listener waits for upstreams. What they list after that is listed then. */
const MEET_MS = 200;
const NONE: readonly never[] = [];

export class ViewChannel implements ConversationCore<ViewChannel>, Required<Servable> {
  readonly name: string;
  readonly changes: ChangeHub = new ChangeHub();
  readonly #state: () => GatewayState;
  #isPrepared = false;

  /** `state` says what messages are answered with from now on. */
  constructor(name: string, state: () => GatewayState) {
    this.name = name;
    this.#state = state;
  }

  get revisions(): readonly string[] {
    return this.#state().revisions.map(({ id }) => id);
  }

  /** Meets the upstreams, once. Later ones do not wait: among gateways in a circle, they would wait for themselves. */
  async prepare(): Promise<void> {
    const { nodes, bridge, views, clock } = this.#state();
    await nodes?.start(bridge);
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    await withTimeout(MEET_MS, clock, Promise.resolve(views.get(this.name)?.table('tools', undefined)));
  }

  open(...[push, session]: Parameters<Servable['open']>): ServedConversation {
    return new ServerConversation(this, push, session);
  }

  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    if (method !== 'tools/call') return NONE;
    const table = this.#state().views.get(this.name)?.tableNow('tools', undefined);
    return table?.mirrored.get(params?.['name'] as string) ?? NONE; // any other type finds nothing
  }

  nameParam(): undefined {
    return undefined;
  }
  scopes(): readonly string[] {
    return NONE;
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
