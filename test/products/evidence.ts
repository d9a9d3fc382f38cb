/** Reads the log of a trial's server: what it received, generated and asked. */
import { existsSync, readFileSync } from 'node:fs';

export type EvidenceLine =
  | {
      readonly kind: 'message';
      readonly method: string;
      readonly tool?: string;
      readonly revision?: string;
      readonly client?: string;
    }
  | { readonly kind: 'agreed'; readonly revision: string }
  | { readonly kind: 'lot'; readonly from: string; readonly lot: string }
  | { readonly kind: 'question'; readonly outcome: string; readonly name?: string };

export function readEvidence(file: string): EvidenceLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as EvidenceLine); // server/lots.mjs wrote it
}

export interface Revisions {
  /** The first revision that the product requested. */
  readonly asked: string;
  /** The revision of its first tool call. */
  readonly spoken: string;
}

export function revisionsOf(evidence: readonly EvidenceLine[]): Revisions | undefined {
  const first = evidence.findIndex((line) => line.kind === 'message' && line.method === 'tools/call');
  const said = evidence.slice(0, first + 1).flatMap((line) => ('revision' in line ? (line.revision ?? []) : []));
  const [asked, spoken] = [said[0], said.at(-1)];
  return asked === undefined || spoken === undefined ? undefined : { asked, spoken };
}
