import { canBeLeftOut, decideFirstLook, type LookedAt } from '@farhand/device/first-look/decide-first-look'
import type { Suspicious } from '@farhand/device/first-look/suspicious-files'
import { userExcludes } from '@farhand/device/git/user-excludes'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { askKey } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../printing/paint.ts'
import { lookInWords, sentInWords } from './first-look-in-words.ts'

// The local hub's address can change with each start.
const ownHub = 'own'

type Circumstances = {
  state: StateFolder
  hub: string
  flags: { secrets?: unknown; json?: unknown }
  maxFileBytes?: number | undefined
  /** Whether the folder's commits are sent, too: files in them cannot be left out. */
  withCommits?: boolean
}

/**
 * Shows what is about to be sent from a folder that this hub has not had before, and asks if it contains suspicious
 * files. Of commits that are sent, it shows the new ones. When it resolves, all files may be sent except those that
 * `leftOutPaths` returns; it throws Trouble if the user refuses.
 */
export async function firstLook(
  folder: string,
  { state, hub, flags, maxFileBytes = defaultMaxFileBytes, withCommits = false }: Circumstances,
  context: CommandContext,
): Promise<void> {
  const secrets = secretsSaid(flags.secrets)
  const place = state.placeOf(folder)
  const before = readFirstLook(place)
  // A folder that an older version linked has no record, but was sent.
  const name = new LocalHub(state.root).note?.urls.includes(hub) ? ownHub : hub
  const isSent = before.hubs.includes(name) || state.find(folder)?.url === hub
  if (isSent && secrets === null && !withCommits) return
  const known = before.commits[name] ?? []
  const [files, older] = await Promise.all([
    isSent && secrets === null
      ? nothing
      : lookAtFiles(folder, { maxFileBytes, leftOut: before.leftOut }, context),
    withCommits ? lookAtCommits(folder, known, context) : null,
  ])
  const looked: LookedAt = {
    survey: files.survey,
    suspicious: [...files.suspicious, ...(older?.suspicious ?? []).filter(isNotIn(files.suspicious))],
    unread: { files: files.unread, older: older?.unread ?? 0, commits: older?.unreadCommits ?? 0 },
  }
  const isNews = files !== nothing || looked.suspicious.length > 0
  const leaveOut = isNews ? await decided(looked, { secrets, hub, flags, withCommits }, context) : []
  const hubs = [...new Set([...before.hubs, name])]
  const commits = older ? { ...before.commits, [name]: older.tips } : before.commits
  // Files that the user saw and allowed are not held back when a link finds them later.
  const allowed = files.suspicious.map(({ path }) => path).filter((path) => !leaveOut.includes(path))
  saveFirstLook(place, {
    ...before,
    hubs,
    allowed: [...new Set([...before.allowed, ...allowed])].sort(),
    leftOut: [...new Set([...before.leftOut, ...leaveOut])].sort(),
    commits,
  })
  if (leaveOut.length > 0 && !flags.json) context.note(`Not sent, now and later: ${named(leaveOut)}\n`)
}

const nothing = {
  survey: { files: [], left: [], ignored: 0, isTracked: () => true },
  suspicious: [],
  unread: 0,
}

async function lookAtFiles(
  folder: string,
  limits: { maxFileBytes: number; leftOut: readonly string[] },
  context: CommandContext,
) {
  const [excludes, { survey }, { suspiciousFiles }] = await Promise.all([
    userExcludes(folder, context),
    import('@farhand/sync/disk/scan/survey'),
    import('@farhand/device/first-look/suspicious-files'),
  ])
  const found = survey(folder, { ...limits, ...(excludes !== null && { excludes }) })
  return { survey: found, ...suspiciousFiles(folder, found) }
}

async function lookAtCommits(folder: string, known: readonly string[], context: CommandContext) {
  const { suspiciousCommits } = await import('@farhand/device/first-look/suspicious-commits')
  return await suspiciousCommits(folder, known, context)
}

/** A file that is already listed is not listed again for an older commit. */
const isNotIn = (files: readonly Suspicious[]) => {
  const paths = new Set(files.filter(({ isTracked }) => isTracked).map(({ path }) => path))
  return ({ path }: Suspicious) => !paths.has(path)
}

function secretsSaid(said: unknown): 'send' | 'leave-out' | null {
  if (said === undefined) return null
  if (said === 'send' || said === 'leave-out') return said
  throw new Trouble('usage', `--secrets is ${JSON.stringify(said)}.`, 'It takes send or leave-out.')
}

type Deciding = Pick<Circumstances, 'hub' | 'flags'> & {
  secrets: 'send' | 'leave-out' | null
  withCommits: boolean
}

async function decided(
  looked: LookedAt,
  { secrets, hub, flags, withCommits }: Deciding,
  context: CommandContext,
): Promise<readonly string[]> {
  const isPersonHere = context.ask !== null && !flags.json
  const step = decideFirstLook(looked, { secrets, isPersonHere, withCommits })
  if (step.do === 'go-on') {
    // With --json nothing is printed here: another line must be the first, and the flags already decide.
    if (!flags.json && step.isShown) context.note(lookInWords(looked, hub, context))
    else if (!flags.json && looked.survey.files.length > 0)
      context.note(`${paint(context.color).dim(sentInWords(looked, hub))}\n`)
    return step.leaveOut
  }
  const stay = canBeLeftOut(looked.suspicious, true)
  if (step.do === 'refuse')
    throw new Trouble(
      'mustAsk',
      `${count(stay.length, 'file')} may hold secrets: ${named(stay)}. Nothing was sent.`,
      'Say what becomes of them: --secrets leave-out keeps them here, --secrets send sends them.',
    )
  context.note(lookInWords(looked, hub, context))
  return await answered(looked, withCommits, context)
}

/** Asks the user; returns the paths to leave out. */
async function answered(
  { suspicious }: LookedAt,
  withCommits: boolean,
  context: CommandContext,
): Promise<readonly string[]> {
  const stay = canBeLeftOut(suspicious, withCommits)
  const others = suspicious.length - stay.length
  if (others > 0)
    context.note(
      `${stay.length === 0 ? 'Those' : count(others, 'file')} that git has go along with the commits they are in.\n`,
    )
  const answer = await askKey(questionFor(stay.length, suspicious.length > 0), context)
  if (answer === 'all') return []
  if (answer === 'leave') return stay
  throw new Trouble(
    'mustAsk',
    'Nothing was sent.',
    stay.length > 0 || others === 0
      ? 'Files that a .farhandignore in the folder names are never sent.'
      : 'With --here no commits go. A clone with --depth 1 has only the newest one.',
  )
}

type Answer = 'all' | 'leave' | 'quit'

/**
 * Enter never sends what may be a secret: it leaves those files out, or sends nothing where they cannot be left out.
 */
function questionFor(stay: number, isSuspicious: boolean) {
  const both = { a: 'all', q: 'quit' } as const
  if (!isSuspicious)
    return { question: 'Enter sends everything, q stops: ', answers: both, usual: 'all' as Answer }
  if (stay === 0)
    return { question: 'a sends everything, Enter or q stops: ', answers: both, usual: 'quit' as Answer }
  const those = stay === 1 ? 'that one' : `those ${stay}`
  return {
    question: `Enter or s sends all but ${those}, a sends everything, q stops: `,
    answers: { s: 'leave', ...both } as Readonly<Record<string, Answer>>,
    usual: 'leave' as Answer,
  }
}

function named(paths: readonly string[]): string {
  const some = paths.slice(0, 5).map(pathInWords).join(', ')
  return paths.length > 5 ? `${some}, and ${(paths.length - 5).toLocaleString('en')} more` : some
}
