/** All code blocks on pages have markers, and pages stay within limits of words and sentence length. */
import { expect, test } from 'vitest';
import { parsePage } from '../../scripts/pages/blocks.ts';
import { writtenPages } from '../../scripts/pages/list.ts';
import { countWords, longSentences } from '../../scripts/pages/prose.ts';
import { textOf } from '../support/source.ts';

const pages = writtenPages();
// A budget for all pages: new pages need shorter old ones, or a reason.
const MOST_WORDS = 25_400;

function faults(page: string): string[] {
  const { problems, blocks, continues } = parsePage(page, textOf(page));
  const cutOnly = blocks.filter(({ markers }) => markers.every(({ kind }) => kind === 'from'));
  return [
    ...problems,
    ...(continues === undefined || pages.includes(continues) ? [] : [`${page} continues ${continues}, which is gone`]),
    ...(/^docs\/(?:explain|reference)\//.test(page) ? [] : cutOnly.map(({ line }) => `${page}:${line}: only cut`)),
    ...(page.startsWith('docs/guide/') ? longSentences(textOf(page), 25).map((text) => `${page}: ${text}`) : []),
  ];
}

test('every block of a page has a marker, and no sentence of a guide has more than 25 words', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.flatMap(faults)).toEqual([]);
});

test('the pages without the reference have at most 25,400 words', () => {
  const counted = pages.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/reference/'));
  const words = counted.reduce((sum, page) => sum + countWords(textOf(page)), 0);
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});
