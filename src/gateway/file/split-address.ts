/** Splits an address such as `127.0.0.1:8443` or `[::1]:0` into host and port. */

/** Defaults of the gateway's file. */
export const DEFAULT_LISTEN = '127.0.0.1:8443';
export const DEFAULT_OPERATIONS = '127.0.0.1:9090';
export const DEFAULT_PATH = '/mcp';

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

export function splitAddress(address: string): ListenerAddress | undefined {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(address) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
