/** All rules of `mooring lint`, errors first. */
import type { LintFinding, LintRule, LintSubject } from './rule.ts';
import { clashingName } from './rules/clashing-name.ts';
import { contradictoryAnnotations } from './rules/contradictory-annotations.ts';
import { duplicateName } from './rules/duplicate-name.ts';
import { expensiveTool } from './rules/expensive-tool.ts';
import { invalidSchema } from './rules/invalid-schema.ts';
import { itemDescription } from './rules/item-description.ts';
import { longDescription } from './rules/long-description.ts';
import { longName } from './rules/long-name.ts';
import { missingOutput } from './rules/missing-output.ts';
import { noAnnotations } from './rules/no-annotations.ts';
import { noDescription } from './rules/no-description.ts';
import { noOutputSchema } from './rules/no-output-schema.ts';
import { oddName } from './rules/odd-name.ts';
import { parameterDescription } from './rules/parameter-description.ts';
import { parameterName } from './rules/parameter-name.ts';
import { sameDescription } from './rules/same-description.ts';
import { sharedName } from './rules/shared-name.ts';
import { suspiciousText } from './rules/suspicious-text.ts';
import { topLevelUnion } from './rules/top-level-union.ts';
import { unclearEnum } from './rules/unclear-enum.ts';
import { undeclaredRequired } from './rules/undeclared-required.ts';
import { endlessSchema, unfillableSchema } from './rules/unfillable-schema.ts';
import { untypedParameter } from './rules/untyped-parameter.ts';

export const lintRules: readonly LintRule[] = [
  ...[noDescription, suspiciousText, duplicateName, contradictoryAnnotations],
  ...[invalidSchema, unfillableSchema, endlessSchema, undeclaredRequired, missingOutput],
  ...[topLevelUnion, parameterName, parameterDescription, untypedParameter, noOutputSchema, noAnnotations],
  ...[
    unclearEnum,
    sharedName,
    longName,
    clashingName,
    oddName,
    sameDescription,
    longDescription,
    expensiveTool,
    itemDescription,
  ],
];

/** In the order of the rules. */
export const lintFindings = (subject: LintSubject, ignored: readonly string[]): readonly LintFinding[] =>
  lintRules
    .filter(({ id }) => !ignored.includes(id))
    .flatMap((rule) =>
      rule.check(subject).map(({ item, found }) => ({
        rule: rule.id,
        severity: rule.severity,
        item,
        found,
        fix: rule.fix,
      })),
    );
