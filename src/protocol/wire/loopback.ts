const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a URL is plain HTTP to this machine. For development: nobody can listen, but nothing proves who answers. */
export function isLoopbackHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}
