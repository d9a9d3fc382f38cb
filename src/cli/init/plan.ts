/** What is to be made: decided before anything is written. */
export const transports = ['stdio', 'http'] as const;
export const schemas = ['zod', 'valibot', 'arktype', 'json'] as const;
export type InitTransport = (typeof transports)[number];
export type SchemaLibrary = (typeof schemas)[number];

export interface InitPlan {
  /** The name of the package, and of the server. */
  readonly name: string;
  readonly transport: InitTransport;
  readonly schema: SchemaLibrary;
}
