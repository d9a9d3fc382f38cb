import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { CitationReport } from './test/support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', new CitationReport()],
    projects: [
      {
        test: {
          name: 'unit',
          pool: 'threads',
          // Nothing in src/ keeps state in a module, so files may share one thread; isolation costs nine times as much.
          isolate: false,
          include: [
            'src/**/*.test.ts',
            'test/arch/**/*.test.ts',
            'test/features/**/*.test.ts',
            'test/conformance/*.test.ts',
            'test/mutation/*.test.ts',
          ],
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
      {
        test: {
          name: 'every',
          pool: 'threads',
          isolate: false,
          // Every feature, in every revision, over every transport it can exist on, with a real process for each over stdio.
          env: { EVERY_TRANSPORT: '1' },
          include: ['test/features/**/*.test.ts', 'test/conformance/*.test.ts'],
          testTimeout: 20_000,
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          pool: 'forks',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 30_000,
          globalSetup: ['test/support/bundle-fixtures.ts'],
        },
      },
    ],
  },
});

export default config;
