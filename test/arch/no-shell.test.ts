/** Lists all code that starts programs: no shell ever parses text of a server, a user or a model. */
import { expect, test } from 'vitest';
import { codeOf, importsOf, sourceFiles } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const starters = sourceFiles().filter((file) =>
  importsOf(file).some(({ to }) => /^(?:node:)?child_process$|^cross-spawn$/.test(to)),
);

test('programs are started by the transport for commands, and by the command line, and nowhere else', () => {
  verifies('SEC-040', 'SEC-041');
  expect(starters.filter((file) => !/^src\/(?:transport|cli)\//.test(file))).toEqual([]);
  expect(starters.filter((file) => file.startsWith('src/cli/')).toSorted()).toEqual([
    'src/cli/dev/version-process.ts',
    // The operator's command for secrets, from the file of a gateway.
    'src/cli/gateway/file-report.ts',
    'src/cli/module/load-fault.ts',
    // Opens a checked URL, which is the only argument, for `mooring login`.
    'src/cli/sign-in/open-browser.ts',
    'src/cli/target/keychain.ts',
  ]);
});

test.each(starters)('%s starts programs without a shell', (file) => {
  verifies('SEC-040');
  const code = codeOf(file);
  expect(code).not.toMatch(/import \{[^}]*\bexec(?:Sync)?\b[^}]*\} from '(?:node:)?child_process'/);
  expect(code).not.toMatch(/\bshell:\s*(?:true|['"`])|['"](?:cmd(?:\.exe)?|powershell|(?:ba|z)?sh)['"]/i);
});
