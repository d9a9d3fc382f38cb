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
    // Against what hangs, and no more: whatever waits for the page gives up after half a minute by itself. A test can have hundreds of
    // keys to press, one after the other, and a busy machine takes a while for each.
    testTimeout: 400_000,
    hookTimeout: 400_000,
  },
});

export default config;
