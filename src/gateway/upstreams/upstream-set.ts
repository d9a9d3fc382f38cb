/** The upstreams of a gateway by label, replaced by each reload. */
import type { PeerSession } from '../../peer/session.ts';
import type { Upstream } from './upstream.ts';
import { NO_LONGER_SERVED, UpstreamError } from './upstream-error.ts';

export class UpstreamSet {
  #all: ReadonlyMap<string, Upstream>;

  constructor(all: ReadonlyMap<string, Upstream>) {
    this.#all = all;
  }

  get all(): ReadonlyMap<string, Upstream> {
    return this.#all;
  }

  /** Replaces all upstreams and returns the removed ones. Running calls keep their conversation. */
  replace(all: ReadonlyMap<string, Upstream>): readonly Upstream[] {
    const gone = [...this.#all].filter(([label, upstream]) => all.get(label) !== upstream);
    this.#all = all;
    return gone.map(([, upstream]) => upstream);
  }

  get(label: string): Upstream {
    const upstream = this.#all.get(label);
    // A reload removed the upstream after the request was routed.
    if (upstream === undefined) throw new UpstreamError(label, 'not-sent', NO_LONGER_SERVED);
    return upstream;
  }

  endSession(session: PeerSession): void {
    for (const upstream of this.#all.values()) upstream.endSession(session);
  }
}
