import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { userExcludes } from '../git/user-excludes.ts'
import { LocalHub } from '../local-hub/local-hub.ts'
import type { LookedAt } from './decide-first-look.ts'
import type { Suspicious } from './suspicious-files.ts'

// The local hub's address can change with each start.
const ownHub = 'own'

export type ToBeSent = {
  state: StateFolder
  hub: string
  maxFileBytes?: number | undefined
  /** Whether the folder's commits are sent, too: files in them cannot be left out. */
  withCommits: boolean
  /** Whether the user has said before what becomes of secrets: then files are looked at again. */
  isSaid: boolean
}

type Parts = {
  env: Readonly<Record<string, string | undefined>>
  home: string
  stop: AbortSignal
  /** Decides which files are left out; throws if nothing may be sent. */
  decide: (looked: LookedAt) => Promise<readonly string[]>
}

/**
 * Looks at what is about to be sent from a folder that this hub has not had before, has it decided, and remembers that. Of
 * commits that are sent, only the new ones are looked at. Returns the files that are left out for this decision.
 */
export async function lookBeforeSending(
  folder: string,
  { state, hub, maxFileBytes = defaultMaxFileBytes, withCommits, isSaid }: ToBeSent,
  parts: Parts,
): Promise<readonly string[]> {
  const place = state.placeOf(folder)
  const before = readFirstLook(place)
  // A folder that an older version linked has no record, but was sent.
  const name = new LocalHub(state.root).note?.urls.includes(hub) ? ownHub : hub
  const isSent = before.hubs.includes(name) || state.find(folder)?.url === hub
  if (isSent && !isSaid && !withCommits) return []
  const known = before.commits[name] ?? []
  const [files, older] = await Promise.all([
    isSent && !isSaid ? nothing : lookAtFiles(folder, { maxFileBytes, leftOut: before.leftOut }, parts),
    withCommits ? lookAtCommits(folder, known, parts) : null,
  ])
  const looked: LookedAt = {
    survey: files.survey,
    suspicious: [...files.suspicious, ...(older?.suspicious ?? []).filter(isNotIn(files.suspicious))],
    unread: { files: files.unread, older: older?.unread ?? 0, commits: older?.unreadCommits ?? 0 },
  }
  const isNews = files !== nothing || looked.suspicious.length > 0
  const leaveOut = isNews ? await parts.decide(looked) : []
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
  return leaveOut
}

const nothing = {
  survey: { files: [], left: [], ignored: 0, isTracked: () => true },
  suspicious: [],
  unread: 0,
}

async function lookAtFiles(
  folder: string,
  limits: { maxFileBytes: number; leftOut: readonly string[] },
  { env, home }: Pick<Parts, 'env' | 'home'>,
) {
  const [excludes, { survey }, { suspiciousFiles }] = await Promise.all([
    userExcludes(folder, { env, home }),
    import('@farhand/sync/disk/scan/survey'),
    import('./suspicious-files.ts'),
  ])
  const found = survey(folder, { ...limits, ...(excludes !== null && { excludes }) })
  return { survey: found, ...suspiciousFiles(folder, found) }
}

async function lookAtCommits(folder: string, known: readonly string[], parts: Pick<Parts, 'env' | 'stop'>) {
  const { suspiciousCommits } = await import('./suspicious-commits.ts')
  return await suspiciousCommits(folder, known, parts)
}

/** A file that is already listed is not listed again for an older commit. */
const isNotIn = (files: readonly Suspicious[]) => {
  const paths = new Set(files.filter(({ isTracked }) => isTracked).map(({ path }) => path))
  return ({ path }: Suspicious) => !paths.has(path)
}
