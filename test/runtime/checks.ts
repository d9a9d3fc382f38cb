/** Runs checks, prints one line each, and counts failures. */
export class Checks {
  passed = 0;
  failed = 0;

  async check(what: string, holds: () => Promise<void>): Promise<void> {
    try {
      await holds();
      this.passed++;
      console.log(`ok    ${what}`);
    } catch (thrown) {
      this.failed++;
      console.log(`FAIL  ${what}\n${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
}
