const allowed = new Set(['http:', 'https:', 'mailto:'])

/** The normalized URL of a web or mail link; null for all other links. */
export function safeLink(href: string): string | null {
  try {
    const url = new URL(href)
    // A user name in a URL is a trick that makes its host look like another one.
    if (!allowed.has(url.protocol) || url.username !== '' || url.password !== '') return null
    return url.href
  } catch {
    return null
  }
}
