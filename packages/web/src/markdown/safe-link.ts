const allowed = new Set(['http:', 'https:', 'mailto:'])

/** An address that a press may lead to, written out in full; null for everything that is no plain link elsewhere. */
export function safeLink(href: string): string | null {
  try {
    const url = new URL(href)
    // A name in front of the host is there to make it look like another one.
    if (!allowed.has(url.protocol) || url.username !== '' || url.password !== '') return null
    return url.href
  } catch {
    return null
  }
}
