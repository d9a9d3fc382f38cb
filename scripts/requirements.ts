/** Computes the state of each requirement from `ledger/`, the citations in tests, and the runs. */

import { COMMANDS, type Project, projectsOf, type Run } from './runs.ts';

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

/** An entry of `ledger/not-ours.yaml`: a requirement for something else than this package. */
export interface NotOurs {
  readonly ids: readonly string[];
  /** What it applies to. */
  readonly whose: string;
  readonly why: string;
}

/**
 * `proven`: a citing test ran and passed. `documented`: only a test of the documentation did. `elsewhere`: the citing tests
 * have not run on this source. `missing`: no test cites it, or the citing tests failed.
 */
export type State = 'proven' | 'documented' | 'elsewhere' | 'open' | 'missing' | 'not ours';

export interface Judged extends Requirement {
  readonly state: State;
  /** The files that cite it. */
  readonly citedBy: readonly string[];
  /** The issue that will close it, if it is open. */
  readonly issue?: string;
}

/** Inputs of the judgement. */
export interface Evidence {
  readonly requirements: readonly Requirement[];
  /** The files that cite each id. */
  readonly cited: ReadonlyMap<string, readonly string[]>;
  /** The runs of the current source. */
  readonly runs: ReadonlyMap<Project, Run>;
  /** The projects that must have run. */
  readonly demanded: readonly Project[];
  readonly open: readonly Open[];
  readonly notOurs: readonly NotOurs[];
}

/** Whether a test checks only the documentation, for duties of authors of servers and hosts. */
export function isPage(file: string): boolean {
  return /^test\/arch\/(?:auth-|host-)?duties\.test\.ts$/.test(file);
}

/** The ids that each file cites with `verifies('…')`, and the calls that are not literals. */
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

/** The state of each requirement, and all problems that fail `--check`. */
export function judge(evidence: Evidence): { judged: Judged[]; problems: string[] } {
  const { requirements, cited } = evidence;
  const problems = [...strangers(evidence), ...notRun(evidence)];
  const known = requirements.map(({ id }) => id);
  const listed = lists(evidence, known, problems);
  const judged = requirements.map((requirement): Judged => {
    const { id } = requirement;
    const citedBy = cited.get(id) ?? [];
    const tests = citedBy.filter((file) => !isPage(file));
    if (listed.notOurs.has(id)) {
      if (tests.length > 0) problems.push(`${id} is cited by ${tests.join(', ')}; remove it from ledger/not-ours.yaml`);
      return { ...requirement, state: 'not ours', citedBy };
    }
    const issue = listed.named.get(id) ?? listed.family.get(id);
    if (citedBy.length === 0 && issue !== undefined) return { ...requirement, state: 'open', citedBy, issue };
    if (listed.named.has(id)) problems.push(`${id} is cited by ${citedBy.join(', ')}; remove it from ledger/open.yaml`);
    const { state, problem } = proofOf(requirement, citedBy, evidence.runs);
    if (problem !== undefined) problems.push(problem);
    return { ...requirement, state, citedBy };
  });
  return { judged, problems };
}

/** The result of the tests that cite a requirement. */
function proofOf(
  { id, level }: Requirement,
  citedBy: readonly string[],
  runs: Evidence['runs'],
): { state: State; problem?: string } {
  if (citedBy.length === 0) {
    return {
      state: 'missing',
      problem: `${id} (${level}) has no test; cite it with verifies('${id}') where a test proves it`,
    };
  }
  const ran = citedBy.flatMap((file) =>
    projectsOf(file).map((project) => ({ file, project, outcomes: runs.get(project)?.[file] })),
  );
  const failed = ran.filter(({ outcomes }) => outcomes?.[id] === 'failed');
  if (failed.length > 0) {
    const where = failed.map(({ file, project }) => `${file} (${project})`).join(', ');
    return { state: 'missing', problem: `${id} (${level}): a test that cites it failed in ${where}; see its run` };
  }
  const passed = ran.filter(({ outcomes }) => outcomes?.[id] === 'passed');
  if (passed.some(({ file }) => !isPage(file))) return { state: 'proven' };
  if (ran.some(({ file, outcomes }) => outcomes === undefined && !isPage(file))) return { state: 'elsewhere' };
  if (passed.length > 0) return { state: 'documented' };
  if (ran.some(({ outcomes }) => outcomes === undefined)) return { state: 'elsewhere' };
  const problem = `${id} (${level}): ${citedBy.join(', ')} ran, and no test that cites it did; is it skipped here?`;
  return { state: 'missing', problem };
}

/** Cited ids that the ledger does not have. */
function strangers({ requirements, cited }: Evidence): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  return [...cited]
    .filter(([id]) => !known.has(id))
    .map(([id, files]) => `${files.join(', ')} cites ${id}, which ledger/ does not have; look the id up`);
}

/** Files that cite ids and were required to run, but did not. */
function notRun({ cited, runs, demanded }: Evidence): string[] {
  const files = [...new Set([...cited.values()].flat())].sort();
  return demanded.flatMap((project) => {
    const mine = files.filter((file) => projectsOf(file).includes(project));
    const run = runs.get(project);
    if (run === undefined && mine.length > 0) {
      return [`No tests of "${project}" ran at this state of the tree; run \`${COMMANDS[project]}\``];
    }
    return mine
      .filter((file) => run?.[file] === undefined)
      .map(
        (file) => `${file} cites requirements, and was skipped or did not run to its end; run \`${COMMANDS[project]}\``,
      );
  });
}

/** Errors in the lists `open` and `not-ours`. */
function lists({ open, notOurs }: Evidence, known: readonly string[], problems: string[]) {
  const find = (pattern: string, list: string): string[] => {
    const found = expand(pattern, known);
    if (found.length === 0)
      problems.push(`ledger/${list}.yaml lists ${pattern}, which matches no requirement; remove it`);
    return found;
  };
  const named = new Map<string, string>();
  const family = new Map<string, string>();
  for (const { ids, issue } of open) {
    for (const pattern of ids) {
      for (const id of find(pattern, 'open')) (pattern.endsWith('-*') ? family : named).set(id, issue);
    }
  }
  const others = new Set(notOurs.flatMap(({ ids }) => ids.flatMap((pattern) => find(pattern, 'not-ours'))));
  for (const id of others) if (named.has(id)) problems.push(`${id} is open and not ours; remove it from one list`);
  return { named, family, notOurs: others };
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
