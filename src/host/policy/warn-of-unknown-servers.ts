/** Warns of rules that name a server which is not configured: with a misspelled label, a rule matches nothing. */
import { suggest } from '../../model/suggest.ts';
import type { Rule } from '../act/rule.ts';

/** Once, when the host is created: rules can be for servers that are added later. */
export function warnOfUnknownServers(
  policy: readonly Rule[],
  labels: readonly string[],
  warn: (warning: string) => void,
): void {
  for (const { text, servers } of policy)
    for (const label of new Set(servers))
      if (!label.includes('*') && !labels.includes(label))
        warn(`The rule "${text}" names "${label}", which is not a configured server; ${suggest(label, labels)}`);
}
