/** The three servers of `npm start`, each of another sort, and the rules for them. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Rule, rules, type ServerSource } from 'mooring/host';
import { logbook } from './logbook.ts';
import { openOffice } from './office.ts';

export interface Harbour extends AsyncDisposable {
  readonly servers: Readonly<Record<'logbook' | 'crane' | 'office', ServerSource>>;
}

/** Opens what has to listen. With revisions, the servers speak no others; `oldest` says that HTTP has two endpoints there. */
export async function openHarbour(revisions?: readonly string[], { oldest = false } = {}): Promise<Harbour> {
  const listener = await openOffice(revisions);
  const crane = fileURLToPath(new URL('crane.mjs', import.meta.url));
  return {
    servers: {
      logbook: logbook(revisions),
      crane: { command: process.execPath, args: [crane, ...(revisions ?? [])] },
      office: oldest ? new URL('/sse', listener.url) : listener.url,
    },
    [Symbol.asyncDispose]: () => listener.close(0),
  };
}

/** The first rule that applies decides; where none does, you are asked. */
export const policy: readonly Rule[] = [
  rules.allow({ kind: ['spawn', 'connect', 'elicitation', 'prompt', 'completion'] }),
  rules.deny({ server: 'office', name: 'evict', arguments: { ship: /^Royal/ } }),
  rules.trustAnnotationsOf('logbook', 'crane', 'office'),
  rules.allow({ kind: ['tool', 'resource'], effects: 'read' }),
  rules.allow({ kind: 'resource' }),
];
