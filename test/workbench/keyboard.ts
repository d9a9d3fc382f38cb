/** A keyboard user, who must see the focus everywhere. */
import type { Locator, Page } from 'playwright-core';
import type { BenchFixture } from './fixture.ts';

/** More tab stops than any screen has. */
const MOST_STOPS = 150;

/** Keys that act as a control of the screen. */
const controlKeys: Readonly<Record<string, string>> = { 'Control+Enter': 'ctrl-enter', c: 'c', y: 'y' };

export class KeyboardUser {
  readonly #fixture: BenchFixture;
  /** Controls that had the focus without showing it. */
  readonly unseen: Set<string> = new Set();

  constructor(fixture: BenchFixture) {
    this.#fixture = fixture;
  }

  get #page(): Page {
    return this.#fixture.page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      // The user sees that the key is available.
      const control = this.#page.locator(`[data-key~="${controlKeys[key]}"]:enabled`).first();
      if (key in controlKeys) await control.waitFor({ state: 'attached' });
      await this.#page.keyboard.press(key);
    }
  }

  /** Opens a screen by its letter. */
  async open(letter: string): Promise<void> {
    await this.press('Escape', 'g');
    await this.#page.keyboard.press(letter);
  }

  /** Runs or opens an entry of the palette. */
  async run(name: string): Promise<void> {
    const palette = this.#page.getByRole('dialog', { name: 'Search or run a command' });
    await this.search(name);
    const first = palette.getByRole('option', { selected: true });
    await first.filter({ hasText: name.replace(/^[>@#]/, '') }).waitFor();
    await this.press('Enter');
    await palette.waitFor({ state: 'detached' });
  }

  /** Opens the palette with these search words. */
  async search(words: string): Promise<void> {
    await this.press('Control+k');
    await this.#page.locator('.palette input:focus').waitFor();
    await this.#page.keyboard.insertText(words);
  }

  /** Moves the focus to a control, from area to area and from stop to stop. */
  async focus(control: Locator): Promise<void> {
    await control.waitFor();
    const area = await control.evaluate((element) =>
      ['.asked', 'main', '.sidebar', '.dock', 'dialog'].find((selector) => element.closest(selector) !== null),
    );
    for (let step = 0; step < 6 && area !== 'dialog' && !(await this.#isInside(area ?? 'main')); step++)
      await this.press('F6');
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      if (await this.#isFocused(control)) return;
      await this.press('Tab');
    }
    throw new Error(`The focus does not get to ${control}`);
  }

  /** Replaces the text of a field. */
  async write(field: Locator, text: string): Promise<void> {
    await this.focus(field);
    await this.press('Control+a');
    await this.#page.keyboard.insertText(text);
  }

  /** Selects an option by its first letters. */
  async choose(field: Locator, letters: string): Promise<void> {
    await this.focus(field);
    await this.#page.keyboard.type(letters);
    await this.press('Tab');
  }

  async activate(control: Locator): Promise<void> {
    await this.focus(control);
    await this.press('Enter');
  }

  /** Agrees to questions until the locator matches. */
  async agreeUntil(wanted: Locator): Promise<void> {
    const primary = this.#page.locator('.ask .btn[data-kind="primary"]').first();
    for (;;) {
      await primary.or(wanted.first()).first().waitFor();
      if (await wanted.first().isVisible()) return;
      // A question that was answered before can disappear meanwhile.
      const question = await this.#page.evaluate(() => document.querySelector('.ask')?.getAttribute('data-question'));
      if (question == null) continue;
      const choice = this.#page.locator('.ask select').first();
      if (await choice.isVisible()) await this.choose(choice, 'tr');
      await this.activate(primary);
      await this.#page.locator(`[data-question="${question}"]`).waitFor({ state: 'detached' });
    }
  }

  async openTool(name: string): Promise<void> {
    await this.run(name);
    await this.#page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /** Moves to an entry of a list and opens it. */
  async openRow(text: string, rows = 'main [data-row]'): Promise<void> {
    const row = this.#page.locator(rows, { hasText: text }).first();
    await row.waitFor();
    await this.press('Escape');
    for (let step = 0; step < 60; step++) {
      await this.press('j');
      if (await row.evaluate((element) => element === document.activeElement)) break;
    }
    await this.press('Enter');
  }

  /** Opens a menu and selects an entry. */
  async chooseOf(button: Locator, title: string): Promise<void> {
    await this.activate(button);
    const item = this.#page.locator(':popover-open').getByRole('menuitem', { name: title });
    await this.#page.locator(':popover-open :focus').waitFor();
    for (let step = 0; !(await this.#isFocused(item)); step++) {
      if (step === MOST_STOPS) throw new Error(`The focus does not get to ${item}`);
      await this.press('ArrowDown');
    }
    await this.press('Enter');
  }

  #isInside(area: string): Promise<boolean> {
    return this.#page.evaluate((selector) => document.activeElement?.closest(selector) !== null, area);
  }

  /** Records controls on the way that have the focus without showing it. */
  async #isFocused(control: Locator): Promise<boolean> {
    const [isThere, unseen] = await control.evaluate((wanted) => {
      const element = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const isMarked = outlineStyle !== 'none' && outlineWidth !== '0px';
      const isControl = element !== document.body && element.id !== 'main';
      return [element === wanted, isMarked || !isControl ? undefined : element.outerHTML.slice(0, 100)] as const;
    });
    if (unseen !== undefined) this.unseen.add(unseen);
    return isThere;
  }
}
