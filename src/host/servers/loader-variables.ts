/** Environment variables that make a command run other code than it names. The list cannot be complete. */

const names: ReadonlySet<string> = new Set([
  // Where programs, shells and their start files are found.
  ...['PATH', 'PATHEXT', 'COMSPEC', 'SHELL', 'ENV', 'BASH_ENV', 'ZDOTDIR', 'PROMPT_COMMAND', 'IFS'],
  ...['HOME', 'USERPROFILE', 'APPDATA', 'XDG_CONFIG_HOME', 'EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'LESSOPEN'],
  // What runtimes load before the program.
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_REPL_EXTERNAL_MODULE'],
  ...['RUBYOPT', 'RUBYLIB', 'PERL5OPT', 'PERL5LIB', 'PERL5DB', 'PERLLIB', 'JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS'],
  ...['JDK_JAVA_OPTIONS', 'CLASSPATH', 'JAVA_HOME', 'PHPRC', 'PHP_INI_SCAN_DIR', 'R_PROFILE', 'OPENSSL_CONF'],
  ...['ELECTRON_RUN_AS_NODE', 'TSX_TSCONFIG_PATH', 'TS_NODE_PROJECT', 'SSLKEYLOGFILE', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  // Where code is fetched from.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'],
]);

const prefixes: readonly string[] = [
  ...['LD_', 'DYLD_', 'NPM_CONFIG_', 'PYTHON', 'GIT_', 'BASH_FUNC_', 'YARN_', 'PNPM_', 'COREPACK_'],
  ...['BUN_', 'DENO_', 'UV_', 'PIP_', 'PIPX_', 'POETRY_', 'CONDA_', 'DOTNET_', 'CORECLR_', 'COR_', 'GEM_', 'BUNDLE_'],
  ...['CARGO_', 'RUSTUP_', 'GOPROXY', 'GOFLAGS', 'DOCKER_', 'PODMAN_', 'MAVEN_', 'GRADLE_', 'SSH_'],
];

/** Ignores case, because npm ignores it in its own variables, and Windows in all. */
export function loadsCode(name: string): boolean {
  const upper = name.toUpperCase();
  return names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
}
