/** The address of a remote without user names, passwords and tokens, otherwise as git spells it. */
export function withoutCredentials(url: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? []
  if (scheme === undefined || rest === undefined) return url
  const end = rest.search(/[/?#]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  const path = end === -1 ? '' : rest.slice(end)
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  // With ssh only a password is secret: the user name is needed.
  const user = /^(git\+)?ssh/i.test(scheme) && at > 0 ? `${authority.slice(0, at).split(':')[0]}@` : ''
  return `${scheme}${user}${host}${path.replace(/[?#].*$/s, '')}`
}
