import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { CitationReport } from '../support/citation-report.ts';

const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    pool: 'forks',
    // Each file has a Chromium and a workbench of its own.
    maxWorkers: 1,
    include: ['*.test.ts'],
    reporters: ['default', new CitationReport('workbench')],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});

export default config;
