import { expect, test } from 'vitest';
import { mooring } from '../../../test/support/command-line.ts';

test.each([
  [['dev'], '<module>: it is missing'],
  [['dev', './nowhere.ts'], 'there is no such file'],
  [['dev', 'test/fixtures/cli/greeter.ts', '--json'], '--json: standard output belongs to the protocol'],
  [['dev', 'test/fixtures/cli/greeter.ts', '--path', '/x'], '--path: it goes with --http'],
  [['dev-version', 'test/fixtures/cli/greeter.ts'], 'only `mooring dev` starts it'],
])('%j is refused, and nothing is started: %s', async (args, why) => {
  const { code, stdout, stderr } = await mooring(args);
  expect([code, stdout.includes('event')]).toEqual([2, false]);
  expect(stderr).toContain(why);
});
