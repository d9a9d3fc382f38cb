/** When the command line uses colors. */
import { expect, test } from 'vitest';
import { mooring } from '../../test/support/command-line.ts';

/** Whether the red word of an error is printed in color in this environment. */
async function isRed(env: Record<string, string>, tty: boolean): Promise<boolean> {
  const { stderr } = await mooring(['nothing-of-this-name'], { tty, env: { NO_COLOR: '', ...env } });
  return stderr.includes('\u001b[31m');
}

test.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '0' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '' }, false, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: 'true' }, false, true],
  [{ FORCE_COLOR: '2' }, false, true],
  [{ FORCE_COLOR: '3' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, false, true],
])('with %j, on a terminal: %s, the command line has colors: %s', async (env, tty, colors) => {
  expect(await isRed(env, tty)).toBe(colors);
});
