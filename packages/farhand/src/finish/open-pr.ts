import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { withoutCredentials } from '@farhand/device/base/without-credentials'
import type { CommandContext } from '../context/command-context.ts'
import { pageInPush, prPage, webRemote } from './pr-page.ts'
import { programAsUser } from './program-as-user.ts'

export type PrAsked = {
  folder: string
  /** Of the remote. */
  address: string
  branch: string
  into: string | null
  title: string
  body: string
  isDraft: boolean
  /** What the server said when the branch was pushed. */
  said: string
}

/** `url` is the pull request itself, or the page on which to open it; null where nobody knows one. */
export type OpenedPr = { url: string | null; isOpen: boolean; why: string | null }

/** Opens a pull request with GitHub's own program where there is one, and else says on which page that is done. */
export async function openPr(asked: PrAsked, context: CommandContext): Promise<OpenedPr> {
  const { folder, address, branch, into, title, body, isDraft, said } = asked
  const remote = webRemote(address)
  const page = (remote && prPage(remote, branch, into)) ?? pageInPush(said)
  if (remote?.kind !== 'github') return { url: page, isOpen: false, why: null }
  const words = ['pr', 'create', '--head', branch, '--title', title, '--body-file', '-']
  const more = [...(isDraft ? ['--draft'] : []), ...(into === null ? [] : ['--base', into])]
  const ended = await programAsUser('gh', [...words, ...more], folder, context, { input: body })
  if (!ended) return { url: page, isOpen: false, why: null }
  const found = urlIn(ended.out) ?? (/already exists/i.test(ended.said) ? urlIn(ended.said) : null)
  if (found) return { url: found, isOpen: true, why: null }
  // The branch is there: what is missing can be done by hand.
  const why = ended.said.trim().split('\n')[0] || `it ended with ${ended.code}`
  return { url: page, isOpen: false, why: `gh opened no pull request: ${why}` }
}

const urlIn = (text: string) => /https?:\/\/[^\s]{1,1000}\/pull\/\d+/.exec(text)?.[0] ?? null

/** Where nobody knows a page: at least where the branch is. Credentials stay here. */
export function addressAsUrl(address: string, folder: string): string | null {
  if (URL.canParse(address)) return withoutCredentials(address)
  const remote = webRemote(address)
  if (remote) return `ssh://${remote.host}/${remote.path}`
  return pathToFileURL(path.resolve(folder, address)).href
}
