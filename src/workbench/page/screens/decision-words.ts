/** A rule and a decision in words: which rule or who allowed it, and what came of it. */
import type { DecisionRow } from '../../protocol-rows.ts';

export function allowedBy(decision: DecisionRow): string {
  const rule = decision.ruleIndex === undefined ? 'a rule' : `rule ${decision.ruleIndex + 1}`;
  if (!decision.allowed) return decision.consent === undefined ? `denied by ${rule}` : 'denied by you';
  if (decision.consent !== undefined)
    return decision.consent.edited ? 'allowed once, changed by you' : 'allowed by you';
  return decision.approval === undefined ? `allowed by ${rule}` : 'allowed before';
}

const words: ReadonlyMap<string | undefined, string> = new Map([
  ['cancelled', 'cancelled'],
  ['MCP_CANCELLED', 'cancelled'],
  ['MCP_TIMEOUT', 'timed out'],
  ['MCP_CLOSED', 'connection lost'],
  ['MCP_SERVER_EXITED', 'the server ended'],
  ['MCP_SPAWN_FAILED', 'could not be started'],
  ['MCP_UNREACHABLE', 'not reachable'],
  ['MCP_UNAUTHORIZED', 'needs a sign-in'],
  ['MCP_OUTCOME_UNKNOWN', 'outcome unknown'],
  ['MCP_BAD_RESULT', 'malformed result'],
  ['ToolError', 'tool reports an error'],
  ['the tool says that it failed', 'tool reports an error'],
]);

/** The audit log has the code of an error; `outcomeCode` gives it to those who search for it. */
export function outcomeWords({ allowed, outcome, phase }: DecisionRow): string {
  if (!allowed) return 'not run';
  if (phase === 'done') return words.get(outcome) ?? outcome ?? 'done';
  if (phase !== 'failed') return 'under way';
  return outcome?.startsWith('RpcError') === true ? 'rejected by the server' : (words.get(outcome) ?? 'failed');
}

export const outcomeCode = ({ phase, outcome }: DecisionRow): string | undefined =>
  phase === 'failed' && outcome !== 'cancelled' ? outcome : undefined;

/** `where: function typedByYou` as words. */
export const ruleWords = (text: string): string =>
  text
    .replace(/^trustAnnotationsOf/, 'trust annotations of')
    .replace(/^noFlow/, 'stop flow')
    .replaceAll(/where: function ?(\w*)/g, (_, name: string) =>
      name === '' ? 'under a condition' : `where ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    );
