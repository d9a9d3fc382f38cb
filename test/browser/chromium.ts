/** A Chromium to test with: the one that is there, or the one that Debian has. */
import { systemProgram } from '../support/system-program.ts';

/** Its path. Installs it where that can be done without asking anybody. */
export const chromium = (): string =>
  systemProgram('Chromium', ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'chromium');
