/** Prints a table at the end of a run: peer, role, revision, feature, and result. */
import type { Reporter, TestModule } from 'vitest/node';
import type { Met } from './met.ts';

interface Row extends Omit<Met, 'what' | 'theirs'> {
  readonly passed: string[];
  readonly failed: string[];
}

export class InteropTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<string, Row>();
    const faults = new Map<string, Set<string>>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { met } = test.meta();
        if (met === undefined) continue;
        const { what, theirs, ...who } = met;
        const key = Object.values(who).join('\n');
        const row = rows.get(key) ?? { ...who, passed: [], failed: [] };
        rows.set(key, row);
        if (test.result().state !== 'passed') row.failed.push(what);
        else if (theirs === undefined) row.passed.push(what);
        else
          faults.set(`${who.peer}: ${theirs}`, (faults.get(`${who.peer}: ${theirs}`) ?? new Set()).add(who.revision));
      }
    }
    const lines = [...rows.values()].sort(byName).map(line);
    const notes = [...faults].map(([fault, revisions]) => `* ${fault} (${[...revisions].sort().join(', ')})`);
    const head = ['| peer | its role | how | revision | verdict | exercised |', '|---|---|---|---|---|---|'];
    const differ = notes.length === 0 ? [] : ['', 'Where a peer differs from the specification:', '', ...notes];
    console.log(`\n${[...head, ...lines, ...differ].join('\n')}\n`);
  }
}

function line({ peer, role, how, revision, passed, failed }: Row): string {
  const verdict = failed.length > 0 ? `**fail**: ${failed.join(', ')}` : 'pass';
  return `| ${peer} | ${role} | ${how} | ${revision} | ${verdict} | ${passed.length}: ${passed.join(', ')} |`;
}

const byName = (a: Row, b: Row): number =>
  a.peer.localeCompare(b.peer) || a.role.localeCompare(b.role) || b.revision.localeCompare(a.revision);
