/** The address to which the issuer sends people back. The client at the issuer has to allow exactly this address. */
export function returnUrl(): string {
  return `${location.origin}/`
}
