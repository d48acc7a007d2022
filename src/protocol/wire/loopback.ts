const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Plain HTTP to this machine: nobody in between, and nothing that says who answers. For development. */
export function isLoopbackHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}
