import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { withoutCredentials } from '../base/without-credentials.ts'
import { pageInPush, prPage, webRemote } from './pr-page.ts'
import { programAsUser, type StartedBy } from './program-as-user.ts'

export type PrAsked = {
  folder: string
  /** Of the remote. */
  address: string
  branch: string
  into: string | null
  title: string
  body: string
  isDraft: boolean
  /** The server's output of the push. */
  said: string
}

/** `url` is the pull request, or the page on which to open it; null if neither is known. `why`: why gh opened none. */
export type OpenedPr = { url: string | null; isOpen: boolean; why: string | null }

/**
 * Opens a pull request with `gh` if the remote is GitHub's and `gh` is installed; else returns the page on which to
 * open it.
 */
export async function openPr(asked: PrAsked, by: StartedBy): Promise<OpenedPr> {
  const { folder, address, branch, into, title, body, isDraft, said } = asked
  const remote = webRemote(address)
  const page = (remote && prPage(remote, branch, into)) ?? pageInPush(said)
  if (remote?.kind !== 'github') return { url: page, isOpen: false, why: null }
  const words = ['pr', 'create', '--head', branch, '--title', title, '--body-file', '-']
  const more = [...(isDraft ? ['--draft'] : []), ...(into === null ? [] : ['--base', into])]
  const ended = await programAsUser('gh', [...words, ...more], folder, by, { input: body })
  if (!ended) return { url: page, isOpen: false, why: null }
  const found = urlIn(ended.out) ?? (/already exists/i.test(ended.said) ? urlIn(ended.said) : null)
  if (found) return { url: found, isOpen: true, why: null }
  // The branch is pushed: the user can open the pull request by hand.
  const why = ended.said.trim().split('\n')[0] || `it ended with ${ended.code}`
  return { url: page, isOpen: false, why: `gh opened no pull request: ${why}` }
}

const urlIn = (text: string) => /https?:\/\/[^\s]{1,1000}\/pull\/\d+/.exec(text)?.[0] ?? null

/** The address of the remote as a URL, without credentials, for when no page is known. */
export function remoteUrl(address: string, folder: string): string | null {
  if (URL.canParse(address)) return withoutCredentials(address)
  const remote = webRemote(address)
  if (remote) return `ssh://${remote.host}/${remote.path}`
  return pathToFileURL(path.resolve(folder, address)).href
}
