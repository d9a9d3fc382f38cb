/** The OAuth challenge in a 401 or 403 of an MCP server. */
import type { ChallengedRequest } from '../../../model/auth.ts';
import { parseChallenges } from '../../../model/challenge.ts';
import { parseScopes } from './scopes.ts';

export interface AuthChallenge {
  /** The server wants credentials of another scheme only, such as `Basic`. */
  readonly foreign: boolean;
  /** Such as `insufficient_scope`. */
  readonly error: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly metadataUrl: string | undefined;
}

/** A server can send several challenges; each parameter comes from the first that has it. */
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
