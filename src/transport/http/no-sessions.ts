/** Serves revisions with sessions without one: each request names its revision in a header, and client info is unknown. */
import type { RpcResponse } from '../../jsonrpc/message.ts';
import { principalOf } from '../../model/caller.ts';
import { revisions } from '../../revisions/index.ts';
import { type HttpSessionContext, LiveSession } from './live-session.ts';
import { HttpRejection } from './rejections.ts';
import { withoutPushes } from './requests-only.ts';
import type { HttpSessions, SessionCaller } from './sessions.ts';

export class NoSessions implements HttpSessions {
  readonly methods = 'POST';
  readonly #context: HttpSessionContext;
  /** The revisions that the `MCP-Protocol-Version` header can name, and the one that is assumed without it. */
  readonly #offered: readonly string[];
  readonly #assumed: string | undefined;

  constructor(context: HttpSessionContext, versions: ReadonlySet<string>) {
    this.#context = context;
    const offered = revisions.filter(({ id, http }) => versions.has(id) && (http.versionHeader || http.isAssumed));
    this.#offered = offered.map(({ id }) => id);
    this.#assumed = offered.find(({ http }) => http.isAssumed)?.id;
  }

  create({ auth }: SessionCaller): LiveSession {
    return this.#open(principalOf(auth), {});
  }

  /** Without sessions, only tokens distinguish callers. */
  narrow(response: RpcResponse, { principal }: LiveSession): RpcResponse {
    return withoutPushes(response, principal !== '');
  }

  /** Ignores the session id: it can only be from another server. */
  find(_id: string | undefined, { auth, view }: SessionCaller): LiveSession {
    const version = view.header('mcp-protocol-version') ?? this.#assumed;
    const revision = revisions.find(({ id }) => id === version && this.#offered.includes(id));
    if (revision === undefined) {
      const named = JSON.stringify(version?.slice(0, 50) ?? '');
      throw new HttpRejection('version', { version: named });
    }
    const { id, batches } = revision;
    // The client's capabilities are unknown, so the server sends it no requests.
    return this.#open(principalOf(auth), { revision: id, batches });
  }

  release(live: LiveSession): void {
    live.close('the request is over');
  }

  #open(principal: string, agreed: LiveSession['session']): LiveSession {
    const now = this.#context.settings.clock.wall();
    const session = { ...agreed, offered: this.#offered, requestsOnly: true as const };
    const stored = { session, principal, createdAt: now, usedAt: now, caller: undefined };
    return new LiveSession('', stored, this.#context);
  }
}
