/** The server's side of a trial: what it received, drew and asked, as its process wrote it down. */
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
  /** What the product asked for first. */
  readonly asked: string;
  /** In which it called its first tool: the call says so, or the handshake before it. */
  readonly spoken: string;
}

export function revisionsOf(evidence: readonly EvidenceLine[]): Revisions | undefined {
  const first = evidence.findIndex((line) => line.kind === 'message' && line.method === 'tools/call');
  const said = evidence.slice(0, first + 1).flatMap((line) => ('revision' in line ? (line.revision ?? []) : []));
  const [asked, spoken] = [said[0], said.at(-1)];
  return asked === undefined || spoken === undefined ? undefined : { asked, spoken };
}
