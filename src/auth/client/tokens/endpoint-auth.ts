/**
 * The credentials for one endpoint. However many requests are rejected at the same time, one flow gets a token for all of them,
 * and it is aborted when none of them waits any more. The token is sent to this endpoint only.
 */
import type { ChallengedRequest, HeaderFields, HttpAuth, OutgoingRequest } from '../../../model/auth.ts';
import { CANCELLED } from '../../../model/names.ts';
import { type AuthChallenge, readAuthChallenge } from '../discovery/auth-challenge.ts';
import type { DpopProofs } from '../identity/dpop.ts';
import { SharedWork } from './shared-work.ts';
import type { Tokens } from './tokens.ts';

export class EndpointAuth implements HttpAuth {
  readonly #endpoint: URL;
  readonly #tokens: Tokens;
  readonly #proofs: DpopProofs | undefined;
  /** The flow that is under way. */
  #flow: SharedWork<unknown> | undefined;

  constructor(endpoint: URL, tokens: Tokens, proofs: DpopProofs | undefined) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#proofs = proofs;
  }

  async headers(request: OutgoingRequest): Promise<HeaderFields> {
    if (request.url.origin !== this.#endpoint.origin) return undefined;
    if (this.#flow !== undefined || this.#tokens.needsRenewal()) await this.#renewIfNeeded(request);
    const held = this.#tokens.current();
    if (held === undefined) return undefined;
    const authorization = `${held.scheme} ${held.accessToken}`;
    if (this.#proofs === undefined) return { authorization };
    const { method, url } = request;
    return { authorization, dpop: await this.#proofs.proof({ method, url, accessToken: held.accessToken }) };
  }

  async onChallenge(challenged: ChallengedRequest): Promise<boolean> {
    if (challenged.url.origin !== this.#endpoint.origin) return false;
    const challenge = readAuthChallenge(challenged);
    const isNewNonce = this.#proofs?.rememberNonce(challenged.url, challenged.header('dpop-nonce')) === true;
    if (isNewNonce && challenge.error === 'use_dpop_nonce') return true;
    const teardown = isTeardown(challenged);
    while (this.#flow !== undefined && !teardown) await this.#flow.join(challenged.signal);
    const sent = challenged.sent?.['authorization'];
    const held = this.#tokens.current();
    if (held !== undefined && `${held.scheme} ${held.accessToken}` !== sent) return true;
    if (teardown) return false;
    return this.#runShared(challenged.signal, (signal) => this.#answer({ ...challenged, signal }, challenge));
  }

  onResponse({ url }: OutgoingRequest, header: (name: string) => string | undefined): void {
    this.#proofs?.rememberNonce(url, header('dpop-nonce'));
    this.#tokens.markAccepted();
  }

  async #answer(challenged: ChallengedRequest, challenge: AuthChallenge): Promise<boolean> {
    if (challenged.status === 401) return !challenge.foreign && this.#tokens.replace(challenge, challenged);
    if (challenge.error !== 'insufficient_scope') return false;
    this.#tokens.markAccepted();
    return this.#tokens.widen(challenge, challenged);
  }

  async #renewIfNeeded(request: OutgoingRequest): Promise<void> {
    while (this.#flow !== undefined) {
      if (isTeardown(request)) return;
      await this.#flow.join(request.signal);
    }
    if (this.#tokens.needsRenewal()) await this.#runShared(request.signal, () => this.#tokens.renew());
  }

  /** Only while no flow is under way. A failure is the failure of every request that waits. */
  #runShared<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const shared = new SharedWork(async (cancelled) => {
      try {
        return await work(cancelled);
      } finally {
        this.#flow = undefined;
      }
    });
    this.#flow = shared;
    return shared.wait(signal);
  }
}

/** The user does not sign in to end a session or cancel a call, and neither waits for a sign-in. */
const isTeardown = ({ method, operation }: OutgoingRequest): boolean => method === 'DELETE' || operation === CANCELLED;
