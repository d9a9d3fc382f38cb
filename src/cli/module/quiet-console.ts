/** While a module loads, what it prints goes to standard error: standard output is the client's. */
const LOUD = ['log', 'info', 'debug'] as const;

/** Until the returned function is called. */
export function quietConsole(): () => void {
  const own = LOUD.map((name) => [name, console[name]] as const);
  for (const name of LOUD) console[name] = (...words: unknown[]) => console.error(...words);
  return () => {
    for (const [name, print] of own) console[name] = print;
  };
}
