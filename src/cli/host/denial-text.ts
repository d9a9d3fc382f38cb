/** Explains why an act did not happen: the rule that denied it, or that the user declined, and the rule that would allow it. */
import type { Act, AuditRecord } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';

export type DeniedAct = Pick<AuditRecord, 'act' | 'decision' | 'consent'>;

export interface Denial {
  /** A rule denied it, or the user declined it. */
  readonly word: 'denied' | 'declined';
  readonly text: string;
}

/** `why` applies if neither a rule nor the user decided, for example if the definition changed during the question. */
export function explainDenial({ act, decision, consent }: DeniedAct, why: string): Denial {
  const title = actTitle(act);
  const rule = `the rule "${printable(decision.rule)}"`;
  if (decision.verdict === 'deny') {
    const reason = decision.rule.startsWith('deny ') ? '' : `: ${printable(decision.why)}`;
    return { word: 'denied', text: `${rule} does not allow ${title}${reason}` };
  }
  if (consent?.allow === false) {
    const text =
      consent.reason === undefined ? `you did not agree to ${title}` : `${title}: ${printable(consent.reason)}`;
    return { word: 'declined', text };
  }
  return { word: 'denied', text: `${title}: ${printable(why)}` };
}

/** `office.evict` */
export function actTitle({ kind, server, name }: Pick<Act, 'kind' | 'server' | 'name'>): string {
  if (kind === 'tool' || kind === 'prompt') return printable(`${server}.${name}`);
  return printable(`${kind} ${name} of ${server}`);
}

/** The rule to add to a policy. */
export const allowingRule = ({ kind, server, name }: Pick<Act, 'kind' | 'server' | 'name'>): string => {
  const match = [`kind: '${kind}'`, `server: '${server}'`, ...(kind === 'tool' ? [`name: '${name}'`] : [])];
  return printable(`rules.allow({ ${match.join(', ')} })`);
};
