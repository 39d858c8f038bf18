import { trimEndChars } from '@farhand/kit/trim-end-chars'

/** The hub and the remote server may read an encoded separator differently, so such addresses are refused. */
const disguised = /%(2f|5c)|\\/i

/**
 * Whether a credential for `remote` may be sent to this address: it needs the same scheme, host and port, and a path at or below the
 * remote's path. A repository is the same with and without `.git`.
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
