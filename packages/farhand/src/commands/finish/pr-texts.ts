import type { RunId } from '@farhand/protocol/wire/ids'
import { firstLine } from '../../terminal/printing/shown-text.ts'

const mostTitle = 72
const mostSlug = 48

/** The default title of a pull request or commit: the user's first message. */
export const titleFor = (asked: string | null, run: RunId) =>
  firstLine((asked ?? '').replace(/\s+/g, ' '), mostTitle) || `What ${run} has done`

/** The default branch name, from the title, in letters that every server accepts. */
export function branchFor(title: string, run: RunId, isOwn: boolean): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '')
  const slug = words.slice(0, mostSlug).replace(/-[^-]*$/, (last) => (words.length > mostSlug ? '' : last))
  const short = run.slice('run_'.length, 'run_'.length + 8)
  const name = slug.replace(/-+$/, '')
  if (name === '') return `farhand/${short}`
  return `farhand/${name}${isOwn ? `-${short}` : ''}`
}

/** The default body of a pull request. */
export function bodyFor(asked: string | null, commits: readonly string[], run: RunId): string {
  const quoted = (asked ?? '').trim().slice(0, 4000)
  const list = commits.length > 0 ? commits.map((subject) => `- ${subject}`).join('\n') : ''
  return `${[quoted, list, `Made by an agent in ${run}.`].filter((part) => part !== '').join('\n\n')}\n`
}
