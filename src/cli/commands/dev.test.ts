import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { mooring } from '../../../test/support/command-line.ts';

test.each([
  [['dev'], '<module>: expected the path of a .ts or .js file'],
  [['dev', './nowhere.ts'], 'file not found'],
  [['dev', 'test/fixtures/cli/greeter.ts', '--json'], '--json: standard output carries protocol messages'],
  [['dev', 'test/fixtures/cli/greeter.ts', '--path', '/x'], '--path: this option requires --http'],
  [['dev-version', 'test/fixtures/cli/greeter.ts'], 'only `mooring dev` starts it'],
])('%j is refused, and nothing is started: %s', async (args, why) => {
  const { code, stdout, stderr } = await mooring(args);
  expect([code, stdout.includes('event')]).toEqual([2, false]);
  expect(stderr).toContain(why);
});

test('a port that is taken is named before anything is loaded', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo; // it listens on a port
  const { code, stderr } = await mooring(['dev', 'test/fixtures/cli/greeter.ts', '--http', String(port)]);
  other.close();
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error --http ${port}: another process listens on 127.0.0.1:${port}; give another port, or 0 for a free one\n`,
  );
});
