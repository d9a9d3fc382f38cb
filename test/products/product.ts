/** Types of a product under test, and of one trial. */
import type { RunProgram } from './program.ts';

export const TRANSPORTS = ['stdio', 'http', 'sse'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** The checks for each product and transport. */
export const CHECKS = ['tool call', 'list change', 'question'] as const;
export type Check = (typeof CHECKS)[number];

export interface Product {
  /** Its folder in packages/, and its name in `npm run products -- <name>`. */
  readonly name: string;
  readonly title: string;
  /** The package whose version is reported. */
  readonly package: string;
  readonly transports: readonly Transport[];
  /** Known limits. A trial with any other result, better or worse, fails. */
  readonly limits: readonly Limit[];
  drive(trial: Trial): Promise<Shown>;
}

export interface Limit {
  readonly check: Check;
  readonly outcome: string;
  /** Only on these transports. */
  readonly on?: readonly Transport[];
  /** Cause and reason, for the table. */
  readonly because: string;
}

/** How a product reaches the server. */
export type Reach = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export interface Trial {
  readonly transport: Transport;
  readonly reach: Reach;
  /** A new HOME, and an empty project folder in it. */
  readonly home: string;
  readonly project: string;
  /** The folder of the product's packages; `bin` returns the path of an installed program. */
  readonly packages: string;
  bin(name: string): string;
  /** The URL of the scripted model. */
  readonly model: string;
  /** Runs a program of the product in the project folder, with only the given environment. */
  readonly run: RunProgram;
}

/** The output of a product, and checks that could not be run. */
export interface Shown {
  readonly output: string;
}
