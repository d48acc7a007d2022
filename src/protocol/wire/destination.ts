/** `host` is a name or an address, an IPv6 address without brackets. */
export type Destination = { readonly host: string; readonly port: number }

/** Returns host and port of an http or https address. */
export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}
