/** Types of the Deno API that these programs use. */
interface Runtime {
  readonly args: readonly string[];
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: (at: { port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
}

// These programs run only under Deno, whose types are not installed.
export const deno: Runtime = (globalThis as unknown as { Deno: Runtime }).Deno;
