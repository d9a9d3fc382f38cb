/** The part of Deno that the programs here use. */
interface Runtime {
  readonly args: readonly string[];
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: (at: { port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
}

// These programs run under Deno alone; its types are not those of Node.
export const deno: Runtime = (globalThis as unknown as { Deno: Runtime }).Deno;
