/**
 * The credentials for one endpoint, sent to its origin only. Concurrent requests that are rejected share one flow, which gets a token for
 * all of them, and is aborted when the last of them is cancelled.
 */
import type { ChallengedRequest, HttpAuth, OutgoingRequest } from '../../../model/auth.ts';
import { CANCELLED } from '../../../model/names.ts';
import { type AuthChallenge, readAuthChallenge } from '../discovery/auth-challenge.ts';
import type { DpopProofs } from '../identity/dpop.ts';
import { SharedWork } from './shared-work.ts';
import type { Tokens } from './tokens.ts';

export function endpointAuth(endpoint: URL, tokens: Tokens, proofs: DpopProofs | undefined): HttpAuth {
  /** The running flow, if any. */
  let flow: SharedWork<unknown> | undefined;
  /** The flow adds scopes to a token that stays valid meanwhile. */
  let isStepUp = false;

  /** Starts the shared flow; the caller has checked that none is running. A failure rejects every waiting request. */
  function runShared<T>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    addsScopes = false,
  ): Promise<T> {
    isStepUp = addsScopes;
    const shared = new SharedWork(async (cancelled) => {
      try {
        return await work(cancelled);
      } finally {
        flow = undefined;
      }
    });
    flow = shared;
    return shared.wait(signal);
  }

  async function renewIfNeeded(request: OutgoingRequest): Promise<void> {
    while (flow !== undefined) {
      if (isTeardown(request)) return;
      await flow.join(request.signal);
    }
    if (tokens.needsRenewal()) await runShared(request.signal, () => tokens.renew());
  }

  async function answerChallenge(challenged: ChallengedRequest, challenge: AuthChallenge): Promise<boolean> {
    if (challenged.status === 401) return !challenge.isUnsupported && tokens.replace(challenge, challenged);
    tokens.markAccepted();
    return tokens.widen(challenge, challenged);
  }

  return {
    async headers(request) {
      const { method, url } = request;
      if (url.origin !== endpoint.origin) return undefined;
      // Requests that need no more scopes do not wait for a step-up, which can take the user minutes, and can fail.
      if (flow === undefined ? tokens.needsRenewal() : !isStepUp) await renewIfNeeded(request);
      const held = tokens.current();
      if (held === undefined) return undefined;
      const { scheme, accessToken } = held;
      const authorization = `${scheme} ${accessToken}`;
      return proofs === undefined
        ? { authorization }
        : { authorization, dpop: await proofs.proof({ method, url, accessToken }) };
    },
    async onChallenge(challenged) {
      if (challenged.url.origin !== endpoint.origin) return false;
      const challenge = readAuthChallenge(challenged);
      const hasNonce = proofs?.rememberNonce(challenged.url, challenged.header('dpop-nonce')) === true;
      // Also for a nonce that is known: concurrent requests can be asked for the same one. The transport limits retries.
      if (hasNonce && challenge.error === 'use_dpop_nonce') return true;
      if (challenged.status === 403 && challenge.error !== 'insufficient_scope') return false;
      const teardown = isTeardown(challenged);
      while (flow !== undefined && !teardown) await flow.join(challenged.signal);
      const sent = challenged.sent?.['authorization'];
      const held = tokens.current();
      if (held !== undefined && `${held.scheme} ${held.accessToken}` !== sent) return true;
      if (teardown) return false;
      const answer = (signal: AbortSignal): Promise<boolean> => answerChallenge({ ...challenged, signal }, challenge);
      return runShared(challenged.signal, answer, challenged.status === 403);
    },
    onResponse({ url }, header) {
      proofs?.rememberNonce(url, header('dpop-nonce'));
      tokens.markAccepted();
    },
  };
}

/** Whether the request ends a session or cancels a call. Such a request neither starts a sign-in nor waits for one. */
const isTeardown = ({ method, operation }: OutgoingRequest): boolean => method === 'DELETE' || operation === CANCELLED;
