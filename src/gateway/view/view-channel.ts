/** Serves one view: shared by all its conversations, and kept across reloads. */
import { RpcError } from '../../errors.ts';
import { failure, INTERNAL_ERROR, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import type { Change } from '../../model/change.ts';
import type { MirroredHeader } from '../../model/mirrored-headers.ts';
import type { Link, Servable, ServedConversation } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { Revision } from '../../revisions/contract.ts';
import { selectRevision } from '../../revisions/select.ts';
import { ChangeHub } from '../../server/change-hub.ts';
import { type ConversationCore, ServerConversation } from '../../server/conversation.ts';
import type { AudienceRequest } from '../contract.ts';
import type { ListChange } from '../upstreams/upstream-lists.ts';
import { answerViewRequest } from './answer-view.ts';
import { changedParts } from './changed-parts.ts';
import type { GatewayState } from './gateway-state.ts';
import { ListeningCallers } from './listening-callers.ts';
import { viewCapabilities } from './view-capabilities.ts';

/** Open subscriptions per view. */
const MAX_LISTENERS = 50_000;
/** How long startup waits for upstreams; slower ones are listed later. */
const PREPARE_MS = 200;
const NONE: readonly never[] = [];

type ListedKind = 'tools' | 'prompts' | 'resources';
type ChangeTest = (auth: AuthInfo | undefined) => boolean;

export class ViewChannel implements ConversationCore<ViewChannel>, Required<Servable> {
  readonly name: string;
  readonly changes: ChangeHub = new ChangeHub();
  readonly #state: () => GatewayState;
  /** Change notifications to send at the end of this turn, with tests for who can see them. */
  readonly #waiting: Map<ListedKind, ChangeTest[]> = new Map();
  readonly #seenBy: WeakMap<Change, ChangeTest> = new WeakMap();
  /** The caller of a session, if it differs from the transport's: set by a middleware, or known only from messages. */
  readonly #callers: WeakMap<PeerSession, Pick<Link, 'auth'>> = new WeakMap();
  readonly listening: ListeningCallers = new ListeningCallers(() => this.#state().views.get(this.name));
  #isPrepared = false;

  /** `state` returns the current state. */
  constructor(name: string, state: () => GatewayState) {
    this.name = name;
    this.#state = state;
  }

  get revisions(): readonly string[] {
    return this.#state().revisions.map(({ id }) => id);
  }

  /** Connects to the upstreams once. Later calls do not wait: in a loop of gateways, they would wait for themselves. */
  async prepare(): Promise<void> {
    const { nodes, bridge, views, clock } = this.#state();
    await nodes?.start(bridge);
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    await withTimeout(PREPARE_MS, clock, Promise.resolve(views.get(this.name)?.table('tools', undefined)));
  }

  open(...[push, session]: Parameters<Servable['open']>): ServedConversation {
    return new ServerConversation(this, push, session);
  }

  /** None for a tool that the caller cannot see: an error about its headers would reveal that it exists. */
  mirrored(request: RpcRequest, auth?: AuthInfo): readonly MirroredHeader[] {
    if (request.method !== 'tools/call') return NONE;
    const { views, policy, revisions } = this.#state();
    const view = views.get(this.name);
    const table = view?.tableNow('tools', view.listsApart ? audienceRequestOf(request, auth, revisions) : undefined);
    const name = request.params?.['name'] as string; // other types match no key
    const [headers, part] = [table?.mirrored.get(name), table?.byName.get(name)];
    if (headers === undefined || part === undefined) return NONE;
    return policy.lists(part, { view: this.name, link: { auth } }) ? headers : NONE;
  }

  nameParam(): undefined {
    return undefined;
  }
  scopes(): readonly string[] {
    return NONE;
  }

  /** Notifies the callers for whom an upstream's list change may be visible. */
  tellOfList(label: string, change: ListChange): void {
    const { views, policy } = this.#state();
    const view = views.get(this.name);
    const upstream = view?.members.get(label)?.upstream;
    if (view === undefined || upstream === undefined) return;
    const parts = changedParts(view, label, change).flatMap((part) => {
      const screened = view.screen(part);
      return 'part' in screened ? [screened.part] : [];
    });
    const isSeenBy: ChangeTest = (auth) =>
      upstream.canHaveList(change.audience, auth) &&
      parts.some((part) => policy.lists(part, { view: view.name, link: { auth } }));
    this.tell(change.list === 'templates' ? 'resources' : change.list, isSeenBy);
  }

  /** Notifies callers who can see the change, once for all changes of the same turn. */
  tell(kind: ListedKind, isSeenBy: ChangeTest = () => true): void {
    const waiting = this.#waiting.get(kind);
    if (waiting !== undefined) return void waiting.push(isSeenBy);
    const tests = [isSeenBy];
    this.#waiting.set(kind, tests);
    queueMicrotask(() => {
      this.#waiting.delete(kind);
      const change = { kind };
      this.#seenBy.set(change, (auth) => tests.some((test) => test(auth)));
      this.changes.notify(change);
    });
  }

  isSeenBy(change: Change, auth: AuthInfo | undefined): boolean {
    return this.#seenBy.get(change)?.(auth) === true;
  }

  hides(change: Change, { session, push }: ServerConversation<ViewChannel>): boolean {
    return !this.isSeenBy(change, (this.#callers.get(session) ?? push).auth);
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
    const { session, push } = conversation;
    // Remembers who uses the session: a transport may know the caller only after the handshake.
    if (session.revision !== undefined || (request.method === 'initialize' && !('auth' in push))) {
      if (link.auth === push.auth) this.#callers.delete(session);
      else this.#callers.set(session, { auth: link.auth });
    }
    if (view !== undefined) return answerViewRequest(request, link, { state, view, conversation, channel: this });
    const gone = new RpcError(INTERNAL_ERROR, `The view ${this.name} is no longer served`);
    return Promise.resolve(failure(request.id, gone));
  }

  readonly sessionEnded = (session: PeerSession): void => {
    this.listening.end(session);
    this.#state().upstreams.endSession(session);
  };
}

/** Who sends a request outside a session; undefined for one that will be rejected. */
function audienceRequestOf(
  request: RpcRequest,
  auth: AuthInfo | undefined,
  revisions: readonly Revision[],
): AudienceRequest | undefined {
  const session: PeerSession = {};
  try {
    const revision = selectRevision(request, session, revisions);
    const caller = revision.lifecycle.caller(request, session);
    return { principal: principalOf(auth), session, link: { auth }, caller, revision };
  } catch {
    return undefined;
  }
}
