/** What our own servers write to standard error about a handler that threw: of all that a module writes there, this is shown. */
const REPORT = /^mooring: .+ failed (?:on .+ )?\([\da-f]{8}\)/;
/** Lines of a stack, and of the details below it. */
const CONTINUED = /^(?:\s+\S|[}\]])/;

export class FailureReports {
  readonly #show: (line: string) => void;
  #rest = '';
  #inside = false;

  constructor(show: (line: string) => void) {
    this.#show = show;
  }

  /** Chunks end anywhere. */
  hear(chunk: string): void {
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#inside = REPORT.test(line) || (this.#inside && CONTINUED.test(line));
      if (this.#inside) this.#show(line);
    }
  }
}
