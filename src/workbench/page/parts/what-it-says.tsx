/** A message in a line: what it is about, then what it says. A response says what came; its request, above it, what it is about. */
import type { MessageRow } from '../../protocol-timeline.ts';

/** The id of a task says less than how it is. */
const isOfTask = (method: string): boolean => /^(?:notifications\/)?tasks\b/.test(method);

export function WhatItSays({
  row: { subject, what, kind, method },
}: {
  row: Pick<MessageRow, 'subject' | 'what' | 'kind' | 'method'>;
}) {
  if (kind === 'response') return <>{what ?? <span class="dim">empty result</span>}</>;
  return (
    <>
      {subject !== undefined && !(isOfTask(method) && what !== undefined) && <span class="mono">{subject} </span>}
      <span class="dim">{what}</span>
    </>
  );
}
