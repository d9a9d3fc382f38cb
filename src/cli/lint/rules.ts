/** All rules of `mooring lint`, errors first. */
import type { LintFinding, LintRule, LintSubject } from './rule.ts';
import { contradictoryAnnotations, missingOutput, noAnnotations, noOutputSchema } from './rules/behavior.ts';
import * as descriptions from './rules/descriptions.ts';
import * as names from './rules/names.ts';
import * as schemas from './rules/schemas.ts';

export const lintRules: readonly LintRule[] = [
  descriptions.noDescription,
  descriptions.suspiciousText,
  names.duplicateName,
  contradictoryAnnotations,
  schemas.invalidSchema,
  schemas.unfillableSchema,
  schemas.endlessSchema,
  schemas.undeclaredRequired,
  missingOutput,
  schemas.topLevelUnion,
  names.parameterName,
  descriptions.parameterDescription,
  schemas.untypedParameter,
  noOutputSchema,
  noAnnotations,
  schemas.unclearEnum,
  names.sharedName,
  names.longName,
  names.clashingName,
  names.oddName,
  descriptions.sameDescription,
  descriptions.longDescription,
  descriptions.expensiveTool,
  descriptions.itemDescription,
];

/** Findings in the order of `lintRules`. */
export const lintFindings = (subject: LintSubject, ignored: readonly string[]): readonly LintFinding[] =>
  lintRules
    .filter(({ id }) => !ignored.includes(id))
    .flatMap((rule) =>
      rule.check(subject).map((match) => ({ rule: rule.id, severity: rule.severity, ...match, fix: rule.fix })),
    );
