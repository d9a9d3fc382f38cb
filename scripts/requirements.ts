/** What `ledger/` asks for, what tests cite, and what is listed open: together the state of every requirement. */

export interface Requirement {
  readonly id: string;
  readonly level: string;
  readonly role: string;
  readonly revs: readonly string[];
  readonly text: string;
}

/** An entry of `ledger/open.yaml`. An id is `AUTH-3`, a range `AUTH-3..AUTH-9`, or a whole family `AUTH-*`. */
export interface Open {
  readonly ids: readonly string[];
  readonly issue: string;
  readonly why?: string;
}

export interface Judged extends Requirement {
  readonly state: 'proven' | 'open' | 'missing';
  /** The files that cite it. */
  readonly citedBy: readonly string[];
  /** The issue that will close it, when it is open. */
  readonly issue?: string;
}

/** Every id that each file cites with `verifies('…')`, and the calls that cannot be read. */
export function citations(files: ReadonlyMap<string, string>): { ids: Map<string, string[]>; problems: string[] } {
  const ids = new Map<string, string[]>();
  const problems: string[] = [];
  for (const [file, source] of files) {
    const code = source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    for (const [call, list = ''] of code.matchAll(/\bverifies\(([^)]*)\)/g)) {
      const cited = [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id);
      if (/[^\s,]/.test(list.replace(/'[^']*'/g, '')) || cited.length === 0) {
        problems.push(`${file}: ${call} cannot be read; write the ids as single-quoted strings inside the call`);
      }
      for (const id of cited) ids.set(id, [...new Set([...(ids.get(id) ?? []), file])]);
    }
  }
  return { ids, problems };
}

/** The state of every requirement, and everything that `--check` refuses. */
export function judge(
  requirements: readonly Requirement[],
  cited: ReadonlyMap<string, readonly string[]>,
  open: readonly Open[],
): { judged: Judged[]; problems: string[] } {
  const problems: string[] = [];
  const known = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  for (const [id, files] of cited) {
    if (!known.has(id)) problems.push(`${files.join(', ')} cites ${id}, which ledger/ does not have; look the id up`);
  }
  const named = new Map<string, string>();
  const family = new Map<string, string>();
  for (const { ids, issue } of open) {
    for (const pattern of ids) {
      const found = expand(pattern, [...known.keys()]);
      if (found.length === 0)
        problems.push(`ledger/open.yaml lists ${pattern}, which matches no requirement; remove it`);
      for (const id of found) (pattern.endsWith('-*') ? family : named).set(id, issue);
    }
  }
  const judged = requirements.map((requirement): Judged => {
    const { id } = requirement;
    const citedBy = cited.get(id) ?? [];
    const issue = named.get(id) ?? family.get(id);
    if (citedBy.length > 0) {
      if (named.has(id)) problems.push(`${id} is cited by ${citedBy.join(', ')}; remove it from ledger/open.yaml`);
      return { ...requirement, state: 'proven', citedBy };
    }
    if (issue !== undefined) return { ...requirement, state: 'open', citedBy, issue };
    problems.push(`${id} (${requirement.level}) has no test; cite it with verifies('${id}') where a test proves it`);
    return { ...requirement, state: 'missing', citedBy };
  });
  return { judged, problems };
}

function expand(pattern: string, ids: readonly string[]): string[] {
  const [from = '', to] = pattern.split('..');
  if (to !== undefined) {
    return ids.filter((id) => prefix(id) === prefix(from) && number(id) >= number(from) && number(id) <= number(to));
  }
  return pattern.endsWith('-*')
    ? ids.filter((id) => `${prefix(id)}-*` === pattern)
    : ids.filter((id) => id === pattern);
}

export function prefix(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}

function number(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
