/** What the policy itself says of the rules in the file: expressions, kinds of effects, what a rule needs. */
import { plainValue } from '../../files/jsonc-tree.ts';
import { readRules } from '../policy/read-rules.ts';
import type { FileFindings } from './file-finding.ts';
import type { FileTree } from './file-tree.ts';

export function checkRules(tree: FileTree, findings: FileFindings): void {
  const node = tree.nodeAt(['policy']);
  if (node?.kind !== 'array') return;
  // One mistake is reported once: what the description of the file rejects is not judged again.
  const known = findings.all().flatMap(({ severity, path }) => (severity === 'error' ? [path] : []));
  for (const { path, why } of readRules(plainValue(node)).faults)
    if (!known.some((one) => one.startsWith(path.slice(0, 2).join('.')))) tree.error(path, why);
}
