/** Reads the OAuth challenge (`WWW-Authenticate`) in a 401 or 403 of an MCP server. */
import type { ChallengedRequest } from '../../../model/auth.ts';
import { parseChallenges } from '../../../model/challenge.ts';
import { parseScopes } from './scopes.ts';

export interface AuthChallenge {
  /** The server accepts only other schemes than Bearer and DPoP, such as `Basic`. */
  readonly isUnsupported: boolean;
  /** The error code, such as `insufficient_scope`. */
  readonly error: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly metadataUrl: string | undefined;
}

/** Merges several challenges: each parameter is taken from the first that has it. */
export function readAuthChallenge(challenged: ChallengedRequest): AuthChallenge {
  const all = parseChallenges(challenged.header('www-authenticate') ?? '');
  const ours = all.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop').map(({ params }) => params);
  const first = (name: string): string | undefined => ours.find((params) => params.has(name))?.get(name);
  return {
    isUnsupported: all.length > 0 && ours.length === 0,
    error: first('error'),
    scopes: parseScopes(first('scope')),
    metadataUrl: first('resource_metadata'),
  };
}
