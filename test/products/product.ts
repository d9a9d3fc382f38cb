/** A product that speaks the protocol as a client, and one trial of it: what it gets, and what it has to hand back. */
import type { RunProgram } from './program.ts';

export const TRANSPORTS = ['stdio', 'http', 'sse'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** What every product is tried with, on each of its transports. */
export const CHECKS = ['tool call', 'list change', 'question'] as const;
export type Check = (typeof CHECKS)[number];

export interface Product {
  /** Its folder in packages/, and what `npm run products -- <name>` takes. */
  readonly name: string;
  readonly title: string;
  /** The package whose version counts. */
  readonly package: string;
  readonly transports: readonly Transport[];
  /** What it is known not to do. A trial that shows anything else, for better or worse, fails. */
  readonly limits: readonly Limit[];
  drive(trial: Trial): Promise<Shown>;
}

export interface Limit {
  readonly check: Check;
  readonly outcome: string;
  /** On these transports only. */
  readonly on?: readonly Transport[];
  /** Whose doing it is and why, as the table says it. */
  readonly because: string;
}

/** What a product needs to reach the server. */
export type Reach = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export interface Trial {
  readonly transport: Transport;
  readonly reach: Reach;
  /** A new HOME, and an empty folder in it to work in. */
  readonly home: string;
  readonly project: string;
  /** The folder of the product's packages, and the path of a program that they install. */
  readonly packages: string;
  bin(name: string): string;
  /** Where the scripted model is. */
  readonly model: string;
  /** Runs a program of the product in the project folder, with nothing of this environment but what is named. */
  readonly run: RunProgram;
}

/** What a product showed its user, and what it could not be tried with. */
export interface Shown {
  readonly output: string;
}
