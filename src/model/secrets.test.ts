import { expect, test } from 'vitest';
import { Masks } from './secrets.ts';

function masked(secrets: readonly string[], text: string): string {
  const masks = new Masks();
  for (const secret of secrets) masks.add(secret);
  return masks.mask(text);
}

test('a known secret is masked wherever it stands', () => {
  expect(masked(['hunter2'], 'hunter2, "hunter2" and xhunter2x')).toBe('[masked], "[masked]" and x[masked]x');
});

test('of secrets that contain one another, nothing of the longer one is left', () => {
  for (const secrets of [
    ['hunter', 'hunter2-and-more'],
    ['hunter2-and-more', 'hunter'],
  ])
    expect(masked(secrets, 'hunter2-and-more or hunter')).toBe('[masked] or [masked]');
});

test('each line of a secret is one, from six characters on', () => {
  expect(masked(['  first-line\r\nsecond-line\nshort\nsix-ok'], 'first-line second-line short six-ok')).toBe(
    '[masked] [masked] short [masked]',
  );
});
