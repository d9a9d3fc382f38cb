/** The command line imports only the public exports of host and auth, like any other application. */
import { expect, test } from 'vitest';
import { importsOf, sourceFiles } from '../support/source.ts';

/** Files that import internals, each with its reason. The list must only shrink. */
const exceptions: readonly (readonly [file: RegExp, reason: string])[] = [
  [
    /^src\/cli\/target\/connect-target\.ts$/,
    'trace, record, doctor and watch need the connection itself, and pass the gate with it',
  ],
  [
    /^src\/cli\/doctor\/authorization-check\.ts$/,
    'the doctor looks at each step of the discovery that oauth() goes through',
  ],
  [/^src\/cli\/lint\/definition-checks\.ts$/, 'lint goes by the same checks as the lock, without a host around them'],
  [
    /^src\/cli\/servers\/(?:edit|known-applications)\.ts$/,
    'a change to a configuration file is shown before it is written, by the table of applications that the host reads by',
  ],
  [
    /^src\/cli\/(?:lock\/|commands\/lock)/,
    'the commands for mcp.lock read and write the file that belongs to the host',
  ],
];

const broken = sourceFiles()
  .filter((file) => file.startsWith('src/cli/'))
  .flatMap((file) =>
    importsOf(file).flatMap(({ to }) =>
      /^src\/(?:host|auth)\//.test(to) && !/^src\/(?:host|auth)\/index\.ts$/.test(to) ? [{ file, to }] : [],
    ),
  );

test('the command line imports host and auth through their entry points', () => {
  const unexplained = broken.filter(({ file }) => !exceptions.some(([pattern]) => pattern.test(file)));
  expect(unexplained.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('every exception of the command line is still one', () => {
  expect(exceptions.filter(([pattern]) => !broken.some(({ file }) => pattern.test(file)))).toEqual([]);
});
