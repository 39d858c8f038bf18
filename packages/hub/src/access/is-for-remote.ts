import { trimEndChars } from '@farhand/kit/trim-end-chars'

/** An encoded separator is one thing to us and may be another to whoever answers there. */
const disguised = /%(2f|5c)|\\/i

/**
 * Whether a credential for `remote` may be shown at this address: the same scheme, host and port, and a path that is
 * below its path, part by part. With and without `.git` a repository is the same one.
 */
export function isForRemote(remote: string, address: string): boolean {
  if (!URL.canParse(remote) || !URL.canParse(address) || disguised.test(address)) return false
  const [mine, theirs] = [new URL(remote), new URL(address)]
  if (mine.protocol !== theirs.protocol || mine.host !== theirs.host) return false
  const path = theirs.pathname
  const begin = trimEndChars(mine.pathname, '/').replace(/\.git$/, '')
  if (!path.startsWith(begin)) return false
  const rest = path.slice(begin.length)
  return begin === '' || /^(\.git)?(\/|$)/.test(rest)
}
