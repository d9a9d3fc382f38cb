/** A small terminal emulator: lines of styled cells. Supports the sequences that our command line uses. */

export interface CellStyle {
  readonly bold: boolean;
  readonly dim: boolean;
  /** ANSI colors: 0 to 7 normal, 8 to 15 bright; undefined is the default. */
  readonly color: number | undefined;
}
export interface Cell extends CellStyle {
  readonly char: string;
}

const PLAIN: CellStyle = { bold: false, dim: false, color: undefined };

export class Screen {
  readonly lines: Cell[][] = [[]];
  readonly #columns: number;
  #row = 0;
  #column = 0;
  #style: CellStyle = PLAIN;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    // A control sequence with parameters, or one character.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by these characters
    for (const [char, parameters, command] of text.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|[\s\S]/gu)) {
      if (command !== undefined) this.#control(command, parameters ?? '');
      else if (char === '\n') this.#row += 1;
      else if (char === '\r') this.#column = 0;
      else if (char === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (char >= ' ') this.#put(char);
    }
  }

  /** Plain text without trailing spaces. */
  get text(): string {
    const lines = this.lines.map((line) =>
      Array.from(line, (cell) => cell?.char ?? ' ')
        .join('')
        .trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  #put(char: string): void {
    if (this.#column === this.#columns) [this.#row, this.#column] = [this.#row + 1, 0];
    this.#line()[this.#column] = { char, ...this.#style };
    this.#column += 1;
  }

  #line(): Cell[] {
    while (this.lines.length <= this.#row) this.lines.push([]);
    const line = this.lines[this.#row] ?? [];
    while (line.length < this.#column) line.push({ char: ' ', ...PLAIN });
    return line;
  }

  #control(command: string, parameters: string): void {
    const count = Number(parameters) || 1;
    if (command === 'm') for (const code of parameters.split(';')) this.#style = styled(this.#style, Number(code));
    else if (command === 'A') this.#row = Math.max(0, this.#row - count);
    else if (command === 'B') this.#row += count;
    else if (command === 'C') this.#column += count;
    else if (command === 'D') this.#column = Math.max(0, this.#column - count);
    else if (command === 'G') this.#column = count - 1;
    else if (command === 'K') this.#line().length = this.#column;
    else if (command === 'J') {
      this.#line().length = this.#column;
      this.lines.length = this.#row + 1;
    }
  }
}

function styled(style: CellStyle, code: number): CellStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  return style;
}
