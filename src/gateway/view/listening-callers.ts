/** The callers of a view that listen for changes. Upstreams with lists of their own for a caller are watched for it meanwhile. */
import type { PeerSession } from '../../peer/session.ts';
import type { AudienceRequest } from '../contract.ts';
import type { GatewayView } from './gateway-view.ts';

export class ListeningCallers {
  readonly #view: () => GatewayView | undefined;
  /** How to stop listening, by the session or the subscription. */
  readonly #all: Map<PeerSession | AudienceRequest, { readonly incoming: AudienceRequest; stop(): void }> = new Map();

  constructor(view: () => GatewayView | undefined) {
    this.#view = view;
  }

  /** Listens until `end`. If it listens already, its latest credentials count. */
  begin(listener: PeerSession | AudienceRequest, request: AudienceRequest): void {
    const { principal, session, caller, revision, link } = request;
    // Without the rest of the request, which would be kept for as long as the session.
    const incoming = { principal, session, caller, revision, link: { auth: link.auth } };
    const stop = this.#view()?.listen(incoming) ?? (() => undefined);
    // The new one first, so that an upstream with the same credentials is watched without a gap.
    this.#all.get(listener)?.stop();
    this.#all.set(listener, { incoming, stop });
  }

  end(listener: PeerSession | AudienceRequest): void {
    this.#all.get(listener)?.stop();
    this.#all.delete(listener);
  }

  /** After a reload, which can replace upstreams. */
  renew(): void {
    for (const [listener, { incoming }] of this.#all) this.begin(listener, incoming);
  }
}
