/** Finds Chromium for tests, or installs it from Debian. */
import { systemProgram } from '../support/system-program.ts';

/** Its path. Installs it if that needs no password. */
export const chromium = (): string =>
  systemProgram('Chromium', ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'chromium');
