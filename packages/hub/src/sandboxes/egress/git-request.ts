import { trimEndChars } from '@farhand/kit/trim-end-chars'
/** A request of git over HTTP: the URL outside, and the repository in it. */
export type GitRequest = { url: URL; repository: string }

const services = ['git-upload-pack', 'git-receive-pack']

/**
 * Parses `/git/<scheme>/<host>/<path>` with the part that git appends; null if git does not send such requests (git's old, "dumb" protocol
 * is not supported).
 */
export function gitRequest(method: string, said: string): GitRequest | null {
  const found = /^\/git\/(https?)\/([^\s\\]+)$/.exec(said)
  if (!found) return null
  const [, scheme, rest = ''] = found
  const address = `${scheme}://${rest}`
  if (/%(2f|5c|00)/i.test(rest) || !URL.canParse(address)) return null
  const url = new URL(address)
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null
  const asked = /^(\/.+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname)
  if (!asked) return null
  const [, path, what = ''] = asked
  const isRight =
    what === 'info/refs'
      ? method === 'GET' && services.some((service) => url.search === `?service=${service}`)
      : method === 'POST' && url.search === ''
  return isRight ? { url, repository: `${url.origin}${path}` } : null
}

/** Whether the repository is at or below one of these remotes: `.../app` covers neither `.../app-two` nor `.../app2`. */
export function isListed(remotes: readonly string[], repository: string): boolean {
  const url = new URL(repository)
  return remotes.some((remote) => {
    const listed = new URL(remote)
    if (listed.origin !== url.origin) return false
    const [whole, own] = [url.pathname, trimEndChars(listed.pathname, '/').replace(/\.git$/, '')]
    return [own, `${own}.git`].includes(whole) || whole.startsWith(`${own}/`)
  })
}

/** The target of a redirect, as a path of this proxy; null if it is on another host. */
export function movedTo(from: URL, location: string): string | null {
  if (!URL.canParse(location, from)) return null
  const url = new URL(location, from)
  if (url.origin !== from.origin || url.username !== '') return null
  return `/git/${url.protocol.slice(0, -1)}/${url.host}${url.pathname}${url.search}`
}
