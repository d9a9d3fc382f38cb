/** Describes decisions in words: which rule or user decided, and the outcome. */
import type { DecisionRow } from '../../protocol-rows.ts';

/** Who or what decided, such as "allowed by rule 3". */
export function decisionWords(decision: DecisionRow): string {
  const rule = decision.ruleIndex === undefined ? 'a built-in rule' : `rule ${decision.ruleIndex + 1}`;
  if (!decision.allowed) return decision.consent === undefined ? `denied by ${rule}` : 'denied by you';
  if (decision.consent !== undefined)
    return decision.consent.edited ? 'allowed by you, arguments changed' : 'allowed by you';
  return decision.approval === undefined ? `allowed by ${rule}` : 'allowed by an approval';
}

const outcomes: ReadonlyMap<string | undefined, string> = new Map([
  ['cancelled', 'cancelled'],
  ['MCP_CANCELLED', 'cancelled'],
  ['MCP_TIMEOUT', 'timed out'],
  ['MCP_CLOSED', 'connection lost'],
  ['MCP_SERVER_EXITED', 'server exited'],
  ['MCP_SPAWN_FAILED', 'could not be started'],
  ['MCP_UNREACHABLE', 'unreachable'],
  ['MCP_UNAUTHORIZED', 'needs sign-in'],
  ['MCP_OUTCOME_UNKNOWN', 'outcome unknown'],
  ['MCP_BAD_RESULT', 'malformed result'],
  ['ToolError', 'tool error'],
  ['the tool says that it failed', 'tool error'],
]);

/** The outcome of an action, such as "timed out". `outcomeCode` is the error code as in the audit log. */
export function outcomeWords({ allowed, outcome, phase }: DecisionRow): string {
  if (!allowed) return 'not run';
  if (phase === 'done') return outcomes.get(outcome) ?? outcome ?? 'done';
  if (phase !== 'failed') return 'running';
  return outcome?.startsWith('RpcError') === true ? 'rejected by the server' : (outcomes.get(outcome) ?? 'failed');
}

export const outcomeCode = ({ phase, outcome }: DecisionRow): string | undefined =>
  phase === 'failed' && outcome !== 'cancelled' ? outcome : undefined;

/** The text of a rule in words: `where: function typedByYou` becomes "where typed by you". */
export const ruleWords = (text: string): string =>
  text
    .replace(/^trustAnnotationsOf/, 'trust annotations of')
    .replace(/^noFlow/, 'stop flow')
    .replaceAll(/where: function ?(\w*)/g, (_, name: string) =>
      name === '' ? 'under a condition' : `where ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    );
