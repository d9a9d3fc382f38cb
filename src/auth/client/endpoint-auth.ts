/**
 * The credentials for one endpoint. However many requests are refused at the same time, one way to a token is gone, and all wait
 * for it; whatever comes is shown to this endpoint and nobody else.
 */
import type { Challenged, HeaderFields, HttpAuth, OutgoingRequest } from '../../model/auth.ts';
import { type Demand, demandOf } from './demand.ts';
import type { ProofMaker } from './proof.ts';
import type { Tokens } from './tokens.ts';

export class EndpointAuth implements HttpAuth {
  readonly #endpoint: URL;
  readonly #tokens: Tokens;
  readonly #proofs: ProofMaker | undefined;
  #underWay: Promise<unknown> | undefined;

  constructor(endpoint: URL, tokens: Tokens, proofs: ProofMaker | undefined) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#proofs = proofs;
  }

  async headers(request: OutgoingRequest): Promise<HeaderFields> {
    if (request.url.origin !== this.#endpoint.origin) return undefined;
    while (this.#underWay !== undefined) await this.#underWay;
    if (this.#tokens.needsRenewal()) await this.#alone(() => this.#tokens.renew());
    const held = this.#tokens.held();
    if (held === undefined) return undefined;
    const authorization = `${held.scheme} ${held.accessToken}`;
    if (this.#proofs === undefined) return { authorization };
    const { method, url } = request;
    return { authorization, dpop: await this.#proofs.proof({ method, url, accessToken: held.accessToken }) };
  }

  async refused(challenged: Challenged): Promise<boolean> {
    if (challenged.url.origin !== this.#endpoint.origin) return false;
    const demand = demandOf(challenged);
    const heard = this.#proofs?.heard(challenged.url, challenged.header('dpop-nonce')) === true;
    if (heard && demand.error === 'use_dpop_nonce') return true;
    while (this.#underWay !== undefined) await this.#underWay;
    const shown = challenged.sent?.['authorization'];
    const held = this.#tokens.held();
    if (held !== undefined && `${held.scheme} ${held.accessToken}` !== shown) return true;
    // Nobody is asked to sign in so that something can be ended.
    if (challenged.method === 'DELETE') return false;
    return this.#alone(() => this.#answer(challenged, demand));
  }

  accepted({ url }: OutgoingRequest, header: (name: string) => string | undefined): void {
    this.#proofs?.heard(url, header('dpop-nonce'));
    this.#tokens.accepted();
  }

  async #answer(challenged: Challenged, demand: Demand): Promise<boolean> {
    if (challenged.status === 401) return !demand.foreign && this.#tokens.replace(demand, challenged);
    if (demand.error !== 'insufficient_scope') return false;
    this.#tokens.accepted();
    return this.#tokens.widen(demand, challenged);
  }

  /** Begins when nothing is under way. What fails, fails for everybody who waits for it. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const underWay = work();
    this.#underWay = underWay;
    try {
      return await underWay;
    } finally {
      this.#underWay = undefined;
    }
  }
}
