/** Lets the browser save a file. The parts may be large: the browser keeps them where it likes. */
export function saveFile(name: string, parts: readonly BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([...parts]))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser reads the address after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
