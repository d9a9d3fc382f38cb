/** The host and the port of an address such as `127.0.0.1:8443` or `[::1]:0`. */

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

export function splitAddress(address: string): ListenerAddress | undefined {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(address) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
