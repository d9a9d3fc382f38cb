/** User actions on the page of a fixture. */
import type { Locator } from 'playwright-core';
import type { BenchFixture } from './fixture.ts';
import { goTo } from './workbench.ts';

export interface PageUser {
  openTool(server: string, tool: string): Promise<void>;
  call(): Locator;
  result(): Locator;
  json(): Locator;
  /** A field of a form by its path. */
  field(path: string): Locator;
  /** Answers questions until the selector matches. */
  answerUntil(selector: string): Promise<void>;
  /** Grants permissions, without answering questions, until the selector matches. */
  allowUntil(selector: string): Promise<void>;
  callTool(server: string, tool: string): Promise<void>;
  /** On the page of the server, with the consent to open it again. */
  chooseRevision(server: string, revision: string): Promise<void>;
}

export function pageUser(fixture: BenchFixture): PageUser {
  const user: PageUser = {
    async openTool(server, tool) {
      await goTo(fixture.page, 'tools', server, tool);
      await fixture.page.locator(`.pane.call[data-server="${server}"] h1`, { hasText: tool }).waitFor();
    },
    call: () => fixture.page.getByRole('button', { name: /^Call/ }).first(),
    result: () => fixture.page.locator('.card.result'),
    json: () => fixture.page.locator('.editor > .field textarea'),
    field: (path) => fixture.page.locator(`[data-field="${path}"]`),
    async answerUntil(selector) {
      const { page } = fixture;
      const wanted = page.locator(selector).first();
      const primary = page.locator('.ask .btn[data-kind="primary"]').first();
      for (;;) {
        await primary.or(wanted).first().waitFor({ timeout: 240_000 });
        if (await wanted.isVisible()) return;
        const choice = page.locator('.ask select').first();
        if (await choice.isVisible()) await choice.selectOption('true', { timeout: 500 }).catch(() => undefined);
        await primary.click({ timeout: 1_000 }).catch(() => undefined);
        await page.waitForTimeout(50);
      }
    },
    async allowUntil(selector) {
      const wanted = fixture.page.locator(selector).first();
      const consent = fixture.page.locator('.ask[data-kind="consent"]').first();
      for (;;) {
        await consent.or(wanted).first().waitFor();
        if (await wanted.isVisible()) return;
        const id = await consent.getAttribute('data-question');
        const asked = fixture.page.locator(`.ask[data-question="${id}"]`);
        await asked.getByRole('button', { name: 'Allow once' }).click();
        await asked.waitFor({ state: 'detached' });
      }
    },
    async callTool(server, tool) {
      await user.openTool(server, tool);
      await user.call().click();
      await user.answerUntil('.card.result');
    },
    async chooseRevision(server, revision) {
      const { page } = fixture;
      await goTo(page, 'servers', server);
      await page.getByLabel('Revision', { exact: true }).selectOption(revision);
      await user.answerUntil(`.sidebar [data-server="${server}"][data-state="ready"]:has-text("${revision} ·")`);
    },
  };
  return user;
}
