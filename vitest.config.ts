import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LONG_TESTS } from './scripts/runs.ts';
import { CitationReport } from './test/support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', new CitationReport()],
    // Cached by content, so that a run transforms only changed files.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    projects: [
      {
        test: {
          name: 'unit',
          pool: 'threads',
          // One more than cores, because tests with sockets, files and processes often wait.
          maxWorkers: availableParallelism() + 1,
          // Only for tests that hang. Tests do not measure time.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Modules in src/ have no state, so test files can share a thread; isolation is much slower.
          isolate: false,
          include: [
            'src/**/*.test.ts',
            'test/arch/**/*.test.ts',
            'test/features/**/*.test.ts',
            'test/chaos/*.test.ts',
            'test/conformance/*.test.ts',
            'test/mutation/*.test.ts',
            'test/pages/*.test.ts',
            'test/products/*.test.ts',
          ],
          exclude: [...LONG_TESTS],
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
      {
        test: {
          name: 'every',
          pool: 'threads',
          maxWorkers: '100%',
          isolate: false,
          // Every feature in every revision over every transport, with a real process for stdio.
          env: { EVERY_TRANSPORT: '1' },
          include: ['test/features/**/*.test.ts', 'test/conformance/*.test.ts', ...LONG_TESTS],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          pool: 'forks',
          // Most of these tests wait for processes and sockets, so two workers use all cores.
          maxWorkers: 2,
          include: ['test/e2e/**/*.test.ts'],
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          pool: 'forks',
          // Each file starts its own Chromium.
          maxWorkers: 1,
          include: ['test/browser/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

export default config;
