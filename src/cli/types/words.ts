/** What a server calls things, written into TypeScript: names, texts and comments that mean nothing else than themselves. */
import { printable } from '../../model/printable.ts';

const LONGEST = 60;

/** Identifiers of one file, each given once. */
export class TakenNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** `get_user` and `Input` make `GetUserInput`, or `GetUserInput2` if that is taken. */
  fresh(...words: readonly string[]): string {
    const name = pascal(words.join(' '));
    let number = 1;
    while (this.#taken.has(numbered(name, number))) number++;
    this.#taken.add(numbered(name, number));
    return numbered(name, number);
  }
}

const numbered = (name: string, number: number): string => (number === 1 ? name : `${name}${number}`);

/** Letters that not every compiler knows are left out: what is called like that is still quoted where it counts. */
function pascal(text: string): string {
  const words = text.split(/[^A-Za-z\d]+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return (/^[A-Z]/.test(name) ? name : `T${name}`).slice(0, LONGEST);
}

/** A JSON value as the type that only it has. */
export const textLiteral = (text: string): string => printable(JSON.stringify(text));

export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name));

/** `orders://{id}` as the strings it stands for. */
export function templateLiteral(template: string): string {
  const texts = template.split(/\{[^}]*\}/).map((text) => printable(text.replace(/[\\`$]/g, '\\$&')));
  return texts.length === 1 ? textLiteral(template) : `\`${texts.join(`\${string}`)}\``;
}

/** The lines of a comment, or none. Whatever the text says, the comment ends where we end it. */
export function commentLines(text: string | undefined, indent: string): readonly string[] {
  const lines = (text ?? '')
    .trim()
    .split(/\r?\n/)
    .map((line) => printable(line.trimEnd().replaceAll('\t', '  ')).replaceAll('*/', '*\\/'));
  if (lines.every((line) => line === '')) return [];
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
