/** Lint findings of all definitions. A list has many pages, so definitions are linted again only when one of them has changed. */
import type { LintRow } from './protocol-rows.ts';
import type { Workbench } from './workbench.ts';
import type { LintedServer } from './workbench-core.ts';

interface LabelledServer extends LintedServer {
  readonly label: string;
}

export class LintedCatalogue {
  readonly #bench: Workbench;
  /** Everything that `#rows` depend on. */
  #linted: readonly unknown[] = [];
  #rows: readonly LintRow[] = [];

  constructor(bench: Workbench) {
    this.#bench = bench;
  }

  async rows(): Promise<readonly LintRow[]> {
    const { catalogue } = this.#bench.session;
    const [tools, prompts, templates] = await Promise.all([
      catalogue.tools(),
      catalogue.prompts(),
      catalogue.templates(),
    ]);
    const texts = new Map(catalogue.instructions().map((one) => [one.server, one.text]));
    const of = <T extends { readonly server: string; readonly definition: D }, D>(
      items: readonly T[],
      label: string,
    ): D[] => items.flatMap((one) => (one.server === label ? [one.definition] : []));
    const servers = this.#bench.servers.list().map(
      ({ label, name, version = '' }): LabelledServer => ({
        label,
        server: name === undefined ? undefined : { name, version },
        instructions: texts.get(label),
        ...{ tools: of(tools, label), prompts: of(prompts, label), templates: of(templates, label) },
        others: tools.flatMap((one) => (one.server === label ? [] : [one.definition])),
        withoutData: this.#bench.toolsWithoutData(label),
      }),
    );
    const linted = servers.flatMap((one) => [
      ...[one.label, one.server?.name, one.server?.version, one.instructions],
      ...[...one.tools, ...one.prompts, ...one.templates, ...one.withoutData],
    ]);
    if (linted.length === this.#linted.length && linted.every((one, at) => one === this.#linted[at])) return this.#rows;
    const names = new Map(tools.map((one) => [`${one.server} tool ${one.definition.name}`, one.name]));
    this.#linted = linted;
    this.#rows = servers.flatMap((subject) =>
      this.#bench.options.lint(subject).map((finding) => ({
        ...this.#bench.scrub(subject.label, finding),
        server: subject.label,
        name: names.get(`${subject.label} ${finding.item}`),
      })),
    );
    return this.#rows;
  }
}
