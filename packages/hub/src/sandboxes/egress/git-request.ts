import { trimEndChars } from '@farhand/kit/trim-end-chars'
/** What git asks of a repository over HTTP: the address outside, and which repository that is. */
export type GitRequest = { url: URL; repository: string }

const services = ['git-upload-pack', 'git-receive-pack']

/**
 * Reads `/git/<scheme>/<host>/<path>` and what git appends to that; null if it is nothing that git says (its old, "dumb"
 * protocol included).
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

/** Whether an address begins with one of these, where names end: `.../app` is neither `.../app-two` nor `.../app2`. */
export function isListed(remotes: readonly string[], repository: string): boolean {
  const url = new URL(repository)
  return remotes.some((remote) => {
    const listed = new URL(remote)
    if (listed.origin !== url.origin) return false
    const [whole, own] = [url.pathname, trimEndChars(listed.pathname, '/').replace(/\.git$/, '')]
    return [own, `${own}.git`].includes(whole) || whole.startsWith(`${own}/`)
  })
}

/** Where git is sent instead, said as a path of the socketFolder; null if it is another host's. */
export function movedTo(from: URL, location: string): string | null {
  if (!URL.canParse(location, from)) return null
  const url = new URL(location, from)
  if (url.origin !== from.origin || url.username !== '') return null
  return `/git/${url.protocol.slice(0, -1)}/${url.host}${url.pathname}${url.search}`
}
