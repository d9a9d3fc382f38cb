/** What a server asks for when it refuses a request, as far as OAuth has words for it. */
import type { ChallengedRequest } from '../../../model/auth.ts';
import { parseChallenges } from '../../web/challenge.ts';
import { parseScopes } from './scopes.ts';

export interface AuthChallenge {
  /** It asks for credentials, but not for ours: `Basic`, for instance. */
  readonly foreign: boolean;
  /** Such as `insufficient_scope`. */
  readonly error: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly metadataUrl: string | undefined;
}

/** A server may ask in several ways; the first one counts that says something in our words. */
export function readAuthChallenge(challenged: ChallengedRequest): AuthChallenge {
  const all = parseChallenges(challenged.header('www-authenticate') ?? '');
  const ours = all.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop').map(({ params }) => params);
  const first = (name: string): string | undefined => ours.find((params) => params.has(name))?.get(name);
  return {
    foreign: all.length > 0 && ours.length === 0,
    error: first('error'),
    scopes: parseScopes(first('scope')),
    metadataUrl: first('resource_metadata'),
  };
}
