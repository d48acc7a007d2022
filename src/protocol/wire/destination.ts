/** `host`: a name or an address, an IPv6 one without brackets. */
export type Destination = { readonly host: string; readonly port: number }

/** Where an http or https address leads. */
export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}
