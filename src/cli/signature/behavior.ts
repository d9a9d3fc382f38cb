/** The annotations of a tool in words. They are hints of the server. */
import type { Tool } from '../../model/parts.ts';

export function behaviorOf({ annotations = {}, execution }: Tool): readonly string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const isStated = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint].some((hint) => hint !== undefined);
  const writes = readOnlyHint !== true;
  return [
    ...(isStated ? [] : ['not stated: clients assume that it changes and deletes data']),
    ...(readOnlyHint === true ? ['reads only'] : []),
    ...(isStated && writes ? [destructiveHint === false ? 'adds data, deletes none' : 'changes and deletes data'] : []),
    ...(writes && idempotentHint === true ? ['a repeated call has no further effect'] : []),
    ...(openWorldHint === true ? ['reaches other systems'] : []),
    ...(openWorldHint === false ? ['reaches no other systems'] : []),
    ...(execution?.taskSupport === 'required' ? ['runs as a task only'] : []),
    ...(execution?.taskSupport === 'optional' ? ['can run as a task'] : []),
  ];
}
