import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LONG_TESTS } from './scripts/runs.ts';
import { CitationReport } from './test/support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', new CitationReport()],
    // By content, so that a run transforms only what changed since the last one.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    projects: [
      {
        test: {
          name: 'unit',
          pool: 'threads',
          // One more than there are cores, because tests with sockets, files and processes wait for a quarter of their time.
          maxWorkers: availableParallelism() + 1,
          // Against what hangs. Tests do not measure time, so a busy machine must not fail them.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Nothing in src/ keeps state in a module, so files may share one thread; isolation costs nine times as much.
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
          // Every feature, in every revision, over every transport it can exist on, with a real process for each over stdio; and what
          // takes long.
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
          // Most of them wait for processes and sockets, so two leave no core idle.
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
          // Each file has a Chromium of its own.
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
