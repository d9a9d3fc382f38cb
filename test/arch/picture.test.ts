/** The picture in the README matches what a terminal shows. */
import { expect, test } from 'vitest';
import { Screen } from '../../scripts/picture/screen.ts';
import { drawScreen, textIn } from '../../scripts/picture/svg.ts';

function shown(...pieces: readonly string[]): Screen {
  const screen = new Screen(20);
  for (const piece of pieces) screen.write(piece);
  return screen;
}

test('a terminal shows what was written last, where it was written', () => {
  expect(shown('one\r\ntwo').text).toBe('one\ntwo');
  expect(shown('10 %\r20 %').text).toBe('20 %');
  expect(shown('waiting\r\u001b[2K\u001b[Kdone').text).toBe('done');
  expect(shown('first\r\nsecond\u001b[1A\u001b[1Gthird').text).toBe('third\nsecond');
  expect(shown('a\u001b[3Gb\u001b[10Gc').text).toBe('a b      c');
  expect(shown('one\r\ntwo\u001b[1A\r\u001b[J').text).toBe('');
});

test('a line that is longer than the terminal is wide goes on below', () => {
  expect(shown('x'.repeat(25)).text).toBe(`${'x'.repeat(20)}\n${'x'.repeat(5)}`);
});

test('the picture has colors, escapes what is not text for it, and can be read back', () => {
  const screen = shown('\u001b[32m✓\u001b[0m \u001b[1ma < b & c\u001b[22m \u001b[2mdim\u001b[0m');
  const svg = drawScreen(screen, 'shop', 20);
  expect(svg).toContain('<text class="c2" x="20.0" y="54" textLength="8.4">✓</text>');
  expect(svg).toContain('<text class="b" x="36.8" y="54" textLength="75.6">a &lt; b &amp; c</text>');
  expect(svg).toContain('<text class="d"');
  expect(textIn(svg)).toBe('✓ a < b & c dim');
});
