import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { eventName } from '@farhand/protocol/events/event-names'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import { DeviceId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { CommitsFailed } from '../commits/commits-failed.ts'
import { LoggedCommits } from '../commits/logged-commits.ts'
import { type Taken, takeCommits } from '../commits/take-commits.ts'
import { UserRepository } from '../commits/user-repository.ts'
import type { GitEnv } from '../git/run-git.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'

const prefix = 'finish-'
const oldMs = 24 * 60 * 60 * 1000

/** A run with everything that `commits`, `pr` and `patch` need. */
export type RunToFinish = {
  hub: Hub
  at: RunAddress
  repository: UserRepository
  /** The device that this machine writes into the log as. */
  device: DeviceId
  files: WorkspaceTree
  commits: LoggedCommits
  /** The user's first message. */
  asked: string | null
  taken: Taken
  /** The commit that the run began from, and its agent's newest commit; null before the first one. */
  base: string | null
  tip: string | null
  /** A temporary folder. */
  scratch: string
}

type RunHere = {
  hub: Hub
  at: RunAddress
  /** The folder whose repository gets the commits. */
  folder: string
  /** The link of that folder to the run; null if it has none. */
  link: Link | null
  state: StateFolder
}

type Parts = {
  env: GitEnv
  stop: AbortSignal
  /** Called with what git is not allowed to run in this repository, as a run may have written what it names. */
  onSuspects: (says: readonly string[]) => void
}

/** Reads the log of a run, fetches its commits, and calls `act`. */
export async function withRunToFinish<Result>(
  { hub, at, folder, link, state }: RunHere,
  { env, stop: signal, onSuspects }: Parts,
  act: (run: RunToFinish) => Promise<Result>,
): Promise<Result> {
  mkdirSync(state.root, { recursive: true, mode: 0o700 })
  removeLeftBehind(state.root)
  const scratch = mkdtempSync(path.join(state.root, prefix))
  try {
    const repository = await UserRepository.around(folder, env, signal)
    if (!repository) throw noRepository(folder)
    if (repository.suspects.says.length > 0) onSuspects(repository.suspects.says)
    const read = await readRun(hub, at, signal)
    const place = link ? path.join(state.memoryOf(link.folder, at), 'commits') : path.join(scratch, 'commits')
    const taken = await takeCommits({ repository, place, log: read.commits, hub, at, signal })
    const ends = await endsOf(repository, read, taken, signal)
    const device = link?.device ?? deviceFor(at)
    return await act({ hub, at, repository, device, ...read, taken, ...ends, scratch })
  } catch (error) {
    if (error instanceof CommitsFailed) throw new Trouble('failed', error.message, error.nextStep, error)
    throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Removes temporary folders of processes that were killed, but none that may be in use. */
function removeLeftBehind(root: string): void {
  for (const name of readdirSync(root)) {
    const place = path.join(root, name)
    const isOld = name.startsWith(prefix) && Date.now() - statSync(place).mtimeMs > oldMs
    if (isOld) rmSync(place, { recursive: true, force: true })
  }
}

async function readRun(hub: Hub, at: RunAddress, signal: AbortSignal) {
  const files = new WorkspaceTree()
  const commits = new LoggedCommits()
  let asked: string | null = null
  let beganAt: string | null = null
  for await (const event of readLog(hub, at, { signal, patienceMs })) {
    beganAt ??= event.timestamp
    files.apply(event)
    commits.take(event)
    const { method, params } = event.notification
    if (eventName(method) === 'user_message' && asked === null)
      asked = UserMessage.safeParse(params).data?.content ?? null
  }
  return { files, commits, asked, beganAt }
}

/**
 * The run's first and newest commit. For an agent that works in this folder itself: HEAD when the run began, and now.
 */
async function endsOf(
  repository: UserRepository,
  { commits, beganAt }: Awaited<ReturnType<typeof readRun>>,
  { head }: Taken,
  signal: AbortSignal,
): Promise<{ base: string | null; tip: string | null }> {
  if (commits.base || commits.checkpoint) return { base: commits.base?.head ?? null, tip: head }
  const resolved = async (name: string) => {
    const said = await repository.text(['rev-parse', '--quiet', '--verify', `${name}^{commit}`], { signal })
    return said || null
  }
  const tip = await resolved('HEAD').catch(() => null)
  const base = beganAt === null ? tip : await resolved(`HEAD@{${beganAt}}`).catch(() => tip)
  return { base, tip }
}

/** A device id that is the same for each call from this machine, so that repeated posts are recognized. */
const deviceFor = ({ run }: RunAddress) =>
  DeviceId.parse(`dev_${createHash('sha256').update(`${run} ${hostname()}`).digest('hex').slice(0, 22)}`)

const noRepository = (folder: string) =>
  new Trouble(
    'usage',
    `${folder} is not in a git repository.`,
    'Go to a clone of the repository of the run, and run this command again with the id of the run.',
  )
