/** Judges a trial: compares random values of the server with the output of the product and the input of its model. */
import type { EvidenceLine } from './evidence.ts';
import { CHECKS, type Check, type Limit, type Transport } from './product.ts';

export interface Finding {
  readonly check: Check;
  readonly outcome: string;
}

export const WORKED = 'worked';
/** Capabilities declared by the client. */
const ACTIONS = new Map([
  ['accept', WORKED],
  ['decline', 'declined'],
  ['cancel', 'dismissed'],
]);

/** `heard` is all output of the product, and all input of its model. */
export function judge(evidence: readonly EvidenceLine[], heard: string): Finding[] {
  const outcomes: Record<Check, string> = {
    'tool call': judgeLot(evidence, heard, 'blue hat') ?? 'not called',
    'list change': judgeLot(firstSession(evidence), heard, 'cellar') ?? judgeMissedChange(firstSession(evidence)),
    question: judgeQuestion(evidence, heard),
  };
  return CHECKS.map((check) => ({ check, outcome: outcomes[check] }));
}

function judgeLot(evidence: readonly EvidenceLine[], heard: string, from: string): string | undefined {
  const lots = evidence.filter((line) => line.kind === 'lot').filter((line) => line.from === from);
  if (lots.length === 0) return undefined;
  return lots.some(({ lot }) => heard.includes(lot)) ? WORKED : 'result not shown';
}

function judgeQuestion(evidence: readonly EvidenceLine[], heard: string): string {
  const question = evidence.filter((line) => line.kind === 'question').at(-1);
  if (question === undefined) return evidence.some(isCall('greet_user')) ? 'not answered' : 'not tried';
  const outcome = ACTIONS.get(question.outcome) ?? question.outcome;
  return outcome === WORKED && !heard.includes(`The user is ${question.name}`) ? 'result not shown' : outcome;
}

/** The evidence of the first session, because a later one fetches the changed list anyway. */
function firstSession(evidence: readonly EvidenceLine[]): readonly EvidenceLine[] {
  const greetings = evidence.flatMap((line, index) =>
    line.kind === 'message' && line.method === 'initialize' ? [index] : [],
  );
  return evidence.slice(0, greetings[1]);
}

/** Why the new tool was not called: the list was not fetched again, or was fetched and ignored. */
function judgeMissedChange(evidence: readonly EvidenceLine[]): string {
  const opened = evidence.findIndex(isCall('open_cellar'));
  if (opened === -1) return 'not tried';
  const later = evidence.slice(opened).some((line) => line.kind === 'message' && line.method === 'tools/list');
  return later ? 'listed again, not called' : 'not listed again';
}

const isCall =
  (tool: string) =>
  (line: EvidenceLine): boolean =>
    line.kind === 'message' && line.tool === tool;

/** Differences between a trial and the known limits, as sentences. */
export function surprises(findings: readonly Finding[], limits: readonly Limit[], transport: Transport): string[] {
  const known = limits.filter(({ on }) => on === undefined || on.includes(transport));
  return findings.flatMap(({ check, outcome }) => {
    const limit = known.find((one) => one.check === check);
    if (outcome === (limit?.outcome ?? WORKED)) return [];
    return [`${check}: ${outcome}, expected: ${limit?.outcome ?? WORKED}`];
  });
}
