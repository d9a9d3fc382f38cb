/** Compares a definition with its pin in the lock: approved, new, changed or suspicious, and why. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { DefinitionStatus } from '../act/act.ts';
import { findingSentence, findOddities, type TextFinding } from '../text/inspect.ts';
import type { NamesOfOthers } from '../text/other-servers.ts';
import { diffDefinitions } from './definition-diff.ts';
import { definitionTexts } from './definition-texts.ts';
import type { Pin } from './lock-file.ts';

export interface CheckedDefinition {
  /** The definition in pinned form. */
  readonly form: JsonObject;
  /** The hash of `form`. */
  readonly hash: string;
  readonly pin: Pin | undefined;
  /** Approved items that were missing when this one was first seen: it may be one of them, renamed. Empty once it is approved. */
  readonly replaces: readonly string[];
  /** The address at which the server was approved, if it has changed since. */
  readonly movedFrom: string | undefined;
  /** Whether the lock has no room for the definition, so that later changes would not be noticed. */
  readonly isLeftOut: boolean;
  readonly others: NamesOfOthers | undefined;
}

export interface StatusWithReasons {
  readonly status: DefinitionStatus;
  /** Changes and suspicious texts, each as a clause: `its description changed from …`. */
  readonly reasons: readonly string[];
}

export function checkDefinition(checked: CheckedDefinition): StatusWithReasons {
  const { form, hash, pin, replaces, movedFrom, isLeftOut } = checked;
  if (pin?.approved === true && pin.hash === hash && movedFrom === undefined)
    return { status: 'approved', reasons: [] };
  const found = suspiciousTexts(checked).map((finding) => findingSentence('it', finding));
  const warnings = isLeftOut ? [...found, 'its server offers more definitions than the lock file can hold'] : found;
  const changes = pin === undefined || pin.hash === hash ? [] : diffDefinitions(pin.definition, form);
  const renames = replaces.map((id) => `it may be ${JSON.stringify(id)} under a new name`);
  const moves = movedFrom === undefined ? [] : [`its server was reached by ${movedFrom} when it was approved`];
  const hasChanged = changes.length > 0 || renames.length > 0;
  return {
    status: warnings.length > 0 ? 'suspicious' : hasChanged ? 'changed' : 'new',
    reasons: [...new Set([...warnings, ...renames, ...changes, ...moves])],
  };
}

/** Findings that the pinned definition does not have. Without an approved pin, also all strong findings. */
function suspiciousTexts({ form, hash, pin, others }: CheckedDefinition): readonly TextFinding[] {
  const found = findingsIn(form, others);
  // A long text takes time to inspect, so the same one is not inspected twice.
  const before = pin === undefined || pin.hash === hash ? found : findingsIn(pin.definition, others);
  const known = new Set(before.map(keyOf));
  return found.filter((finding) => !known.has(keyOf(finding)) || (pin?.approved !== true && finding.strong));
}

const findingsIn = (definition: JsonObject, others: NamesOfOthers | undefined): readonly TextFinding[] =>
  findOddities(definitionTexts(definition).join(' . '), others);

const keyOf = ({ oddity, match }: TextFinding): string => `${oddity} ${match}`;
