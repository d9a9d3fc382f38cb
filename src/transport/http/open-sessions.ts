/** The sessions that the option `sessions` asks for. */
import type { HttpSessionContext } from './live-session.ts';
import { NoSessions } from './no-sessions.ts';
import { SealedSessions } from './sealed-sessions.ts';
import { SessionRegistry } from './session-registry.ts';
import type { HttpSessions } from './sessions.ts';

export function openSessions(context: HttpSessionContext & { readonly versions: ReadonlySet<string> }): HttpSessions {
  const { sessions } = context.settings;
  if (sessions === 'none') return new NoSessions(context, context.versions);
  return 'sealed' in sessions ? new SealedSessions(context, sessions) : new SessionRegistry(context, sessions);
}
