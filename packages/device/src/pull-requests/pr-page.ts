import { trimEndChars } from '@farhand/kit/trim-end-chars'

type Kind = 'github' | 'gitlab' | 'bitbucket' | 'gitea'

/** A repository on a server, as its web pages name it. */
export type WebRemote = { host: string; path: string; kind: Kind | null }

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^(www\.|ssh\.)?github\.com$|^github\./, 'github'],
  [/(^|\.|-)gitlab(\.|-|$)/, 'gitlab'],
  [/^(altssh\.)?bitbucket\.org$/, 'bitbucket'],
  [/^codeberg\.org$|(^|\.)(gitea|forgejo)\./, 'gitea'],
]

/** The web pages of a remote, from its git address; null for a folder or an invalid address. */
export function webRemote(address: string): WebRemote | null {
  const found = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? fromUrl(address) : fromScp(address)
  if (!found) return null
  const host = found.host.replace(/^ssh\.(?=github\.com$)|^altssh\.(?=bitbucket\.org$)/, '')
  const path = trimEndChars(found.path.replace(/^\/+/, ''), '/').replace(/\.git$/, '')
  if (path === '') return null
  return { host, path, kind: kinds.find(([pattern]) => pattern.test(found.host))?.[1] ?? null }
}

function fromUrl(address: string): { host: string; path: string } | null {
  try {
    const { protocol, hostname, host, pathname } = new URL(address)
    if (hostname === '' || protocol === 'file:') return null
    // An ssh port says nothing about the web pages.
    return { host: /^https?:$/.test(protocol) ? host : hostname.toLowerCase(), path: pathname }
  } catch {
    return null
  }
}

/** `git@example.org:team/project.git`, and not `C:\project` or `./a:b`. */
function fromScp(address: string): { host: string; path: string } | null {
  const [, host, path] = /^(?:[^@/\\:]+@)?([^@/\\:]{2,}):(?!\/\/)(.+)$/.exec(address) ?? []
  return host && path ? { host: host.toLowerCase(), path } : null
}

/** The page on which to open a pull request for this branch; null for an unknown kind of server. */
export function prPage(remote: WebRemote, branch: string, into: string | null): string | null {
  const { host, path, kind } = remote
  const at = `https://${host}/${path}`
  const [from, to] = [spelled(branch), into === null ? null : spelled(into)]
  const query = (words: Record<string, string | null>) =>
    Object.entries(words)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value!)}`)
      .join('&')
  switch (kind) {
    case 'github':
      return `${at}/compare/${to === null ? '' : `${to}...`}${from}?expand=1`
    case 'gitlab': {
      const words = { 'merge_request[source_branch]': branch, 'merge_request[target_branch]': into }
      return `${at}/-/merge_requests/new?${query(words)}`
    }
    case 'bitbucket':
      return `${at}/pull-requests/new?${query({ source: branch, dest: into })}`
    case 'gitea':
      return `${at}/compare/${to === null ? '' : `${to}...`}${from}`
    case null:
      return null
  }
}

const spelled = (branch: string) => branch.split('/').map(encodeURIComponent).join('/')

/** The page that the server printed during the push; null if none. */
export function pageInPush(said: string): string | null {
  const lines = said.split('\n').filter((line) => line.startsWith('remote:'))
  return lines.map((line) => /https?:\/\/\S+/.exec(line)?.[0]).find((url) => url !== undefined) ?? null
}
