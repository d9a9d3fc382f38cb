/** Links between screens, with names that servers choose. */
import { expect, test } from 'vitest';
import { linkTo } from './route.ts';

test('a link names a screen and what it is about, whatever a server calls that', () => {
  expect(linkTo('timeline', 7)).toBe('#/timeline/7');
  expect(linkTo('tools', 'a/b', 'ü #?😀')).toBe('#/tools/a%2Fb/%C3%BC%20%23%3F%F0%9F%98%80');
  expect(linkTo('prompts', 'evil', 'a\ud800b\udc00')).toBe('#/prompts/evil/a%EF%BF%BDb%EF%BF%BD');
});
