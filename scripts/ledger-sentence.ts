/** The counts of the ledger in README.md: by source of the requirement, and by kind of proof. */
import { isPage, type Judged } from './requirements.ts';

export function ledgerSentence(judged: readonly Judged[]): string {
  const ours = judged.filter(({ state }) => state !== 'not ours');
  const number = (some: readonly Judged[]): string => some.length.toLocaleString('en-US');
  const isDate = (rev: string): boolean => /^\d{4}-\d\d-\d\d$/.test(rev);
  const revisions = ours.filter(({ revs }) => revs.some(isDate));
  const elsewhere = ours.filter(({ revs }) => revs.length === 0);
  const extensions = ours.filter((one) => !revisions.includes(one) && !elsewhere.includes(one));
  // Counts citations, not results: a citing test that does not pass fails `npm test`.
  const tested = ours.filter(({ citedBy }) => citedBy.some((file) => !isPage(file)));
  const documented = ours.filter(({ citedBy }) => citedBy.length > 0 && citedBy.every(isPage));
  const rest = ours.filter((one) => !tested.includes(one) && !documented.includes(one));
  return [
    `${number(ours)} requirements: ${number(revisions)} of the five revisions, ${number(extensions)} of official extensions`,
    `and ${number(elsewhere)} of other documents. Tests prove ${number(tested)}, pages of the documentation fulfill ${number(documented)},`,
    `and ${number(rest)} are open`,
  ].join(' ');
}

const MARKED = /(<!-- ledger -->)[\s\S]*?(<!-- \/ledger -->)/;

export function withSentence(page: string, sentence: string): string {
  if (!MARKED.test(page)) throw new Error('README.md has no <!-- ledger --> for the counts; put it back');
  return page.replace(MARKED, (_, before: string, after: string) => `${before}${sentence}${after}`);
}
