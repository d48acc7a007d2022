/** Markets and HTTP signatures have method and path near the beginning, behind a time or the name of a key. */
const startCharacters = 300

const method = '(?:GET|POST|PUT|PATCH|DELETE)'
const host = String.raw`(?:https?(?::\/\/|%3A%2F%2F))?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?\s?`
const segment = String.raw`\/[A-Za-z_][\w.~%-]+`

/** How texts begin that sign a request to a server. */
const forms: readonly RegExp[] = [
  // A method, perhaps a host, and a path. Words in capitals, as in `INPUT/OUTPUT`, are none.
  new RegExp(
    String.raw`(?<=^|[^A-Z]|\dZ)${method}[^A-Za-z0-9/]{0,4}(?:${host})?(?:\/|%2F)(?=[a-z0-9_?{\s]|$|[A-Z]\w*[a-z/?])`,
  ),
  // A path and a method.
  new RegExp(String.raw`(?<![/:.]|:\/\/\S*)${segment}\/(?:[\w.~%/-]*[a-z0-9/_-])?${method}(?=[\s{]|$)`),
  // A path with a query or with JSON, at the beginning or behind a time.
  /^[\d\s.:TZ|,;#"'-]{0,100}\/[A-Za-z_][\w.~%/-]*(?:\?[\w.%[\]-]+=|\{)/,
  // HTTP Message Signatures (RFC 9421) and the draft before it.
  /"@method"|\(request-target\)/i,
  // Strings to sign of Amazon, Google, Alibaba and Tencent.
  /^\s*(?:AWS4|GOOG4|ACS3|TC3)-[A-Z\d]/,
]

/** Whether a text begins as those do whose signature lets a request to some server pass. */
export function isRequestLine(text: string): boolean {
  const start = text.slice(0, startCharacters)
  return forms.some((form) => form.test(start))
}
