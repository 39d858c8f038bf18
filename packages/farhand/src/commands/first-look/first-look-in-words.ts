import { bytesOf, type LookedAt } from '@farhand/device/first-look/decide-first-look'
import type { Suspicious } from '@farhand/device/first-look/suspicious-files'
import { mostCounted } from '@farhand/device/first-look/worth-reading'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { SkipReason } from '@farhand/sync/engine/disk-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { sizeInWords } from '../../terminal/printing/file-size.ts'
import { paint } from '../../terminal/printing/paint.ts'

const mostLargest = 5
const mostSuspicious = 12

const whys: Record<Exclude<SkipReason, 'ignored'>, string> = {
  'too-large': 'too large',
  unreadable: 'cannot be read',
  special: 'no plain file',
  'bad-name': 'has a name that not every system allows',
  clash: 'has the name of another file',
  'in-the-way': 'in the way of another file',
  'hub-data': "a hub's data",
  'newly-included': 'waits for your consent',
  'looks-secret': 'waits for your consent',
  repository: 'part of what git takes for a repository',
}

/** One line, for a folder without suspicious files. */
export function sentInWords(looked: LookedAt, hub: string): string {
  const { survey } = looked
  const left = [ignoredInWords(survey.ignored), ...leftInWords(survey.left)].filter((one) => one !== '')
  const rest = left.length > 0 ? ` (left out: ${left.join('; ')})` : ''
  const unread = unreadInWords(looked)
  const more = unread === '' ? '' : `\n${unread}`
  return `${count(survey.files.length, 'file')}, ${sizeInWords(bytesOf(survey))}, go to ${hub}${rest}${more}`
}

const orMore = (commits: number) => (commits >= mostCounted ? 'or more ' : '')

/** What was not scanned for secrets; empty if everything was. */
function unreadInWords({ unread }: LookedAt): string {
  const { files = 0, older = 0, commits = 0 } = unread ?? {}
  const parts = [
    ...(files > 0 ? [count(files, 'file')] : []),
    ...(older > 0 ? [`${count(older, 'file')} of older commits`] : []),
    ...(commits > 0 ? [`all that is in ${count(commits, 'commit')} ${orMore(commits)}before those`] : []),
  ]
  return parts.length === 0 ? '' : `Not looked at for secrets, as it is too much: ${parts.join(', ')}`
}

/** Everything the user should know before a folder is sent for the first time. */
export function lookInWords(looked: LookedAt, hub: string, { color }: Pick<CommandContext, 'color'>): string {
  const { bold, dim } = paint(color)
  const { survey, suspicious } = looked
  const sent =
    survey.files.length > 0
      ? `To be sent to ${hub}: ${count(survey.files.length, 'file')}, ${sizeInWords(bytesOf(survey))}`
      : `Commits of this folder go to ${hub}.`
  const lines = [bold(sent)]
  const largest = survey.files.toSorted((a, b) => b.size - a.size).slice(0, mostLargest)
  const named = largest.map(({ path, size }) => `  ${sizeInWords(size).padStart(9)}  ${pathInWords(path)}`)
  if (survey.files.length > mostLargest) lines.push(dim('The largest of them:'), ...named)
  const left = [ignoredInWords(survey.ignored), ...leftInWords(survey.left)].filter((one) => one !== '')
  if (left.length > 0) lines.push(dim('Left out:'), ...left.map((one) => `  ${one}`))
  if (suspicious.length > 0) {
    lines.push(...suspicionsInWords(suspicious, { color }))
    const old = suspicious.find(({ blob }) => blob !== undefined)
    if (old) lines.push(dim(`\`git log --all --find-object=${old.blob}\` shows the commits.`))
  }
  const unread = unreadInWords(looked)
  if (unread !== '') lines.push(dim(unread))
  return `${lines.join('\n')}\n`
}

export function suspicionsInWords(
  suspicious: readonly Suspicious[],
  { color }: Pick<CommandContext, 'color'>,
): string[] {
  const { dim, yellow } = paint(color)
  const rest = suspicious.length - mostSuspicious
  return [
    yellow(`${count(suspicious.length, 'file')} may hold secrets:`),
    ...suspicious.slice(0, mostSuspicious).map((one) => suspicionInWords(one, dim)),
    ...(rest > 0 ? [dim(`  and ${rest.toLocaleString('en')} more`)] : []),
  ]
}

function suspicionInWords(
  { path, signs, isTracked, blob }: Suspicious,
  dim: (text: string) => string,
): string {
  const [first] = signs
  const place = first && first.line > 0 ? `${pathInWords(path)}:${first.line}` : pathInWords(path)
  const more = signs.length > 1 ? `, and ${signs.length - 1} more` : ''
  const gitHas = blob ? `; in an older commit, as ${blob}` : isTracked ? '; git has it' : ''
  return `  ${place}  ${dim(`${first?.kind ?? ''}${more}${gitHas}`)}`
}

const ignoredInWords = (ignored: number) =>
  ignored === 0 ? '' : `${count(ignored, 'name')} that rules ignore`

/** Each reason once, with its first file. */
function leftInWords(left: LookedAt['survey']['left']): string[] {
  const reasons = [...new Set(left.map(({ why }) => why))]
  return reasons.map((reason) => {
    const those = left.filter(({ why }) => why === reason)
    const [first] = those
    const size = reason === 'too-large' ? ` (${sizeInWords(first!.size)})` : ''
    const more = those.length > 1 ? `, and ${(those.length - 1).toLocaleString('en')} more` : ''
    return `${whys[reason]}: ${pathInWords(first!.path)}${size}${more}`
  })
}
