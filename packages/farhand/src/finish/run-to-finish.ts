import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { CommitsFailed } from '@farhand/device/commits/commits-failed'
import { LoggedCommits } from '@farhand/device/commits/logged-commits'
import { type Taken, takeCommits } from '@farhand/device/commits/take-commits'
import { UserRepository } from '@farhand/device/commits/user-repository'
import { LocalRuns } from '@farhand/device/local-runs/local-runs'
import { realPath } from '@farhand/device/real-path'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { eventName } from '@farhand/protocol/events/event-names'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import { DeviceId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { isWithin, type Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { hubTrouble } from '../errors/hub-trouble.ts'
import { linkedRun } from '../find-run/linked-run.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'

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

/** Finds the run, reads its log, fetches its commits, and calls `act`. */
export async function withRun<Result>(
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
  act: (run: RunToFinish) => Promise<Result>,
): Promise<Result> {
  const { hub, at, folder, link, state } = await whichRun(named, flags, context)
  mkdirSync(state.root, { recursive: true, mode: 0o700 })
  removeLeftBehind(state.root)
  const scratch = mkdtempSync(path.join(state.root, prefix))
  try {
    const { stop: signal, env } = context
    const repository = await UserRepository.around(folder, env, signal)
    if (!repository) throw noRepository(folder)
    if (!flags.json && repository.suspects.says.length > 0)
      context.note(
        `Not run here, as a run may have written what it names: ${repository.suspects.says.map(lineInWords).join(', ')}.\n`,
      )
    const read = await readRun(hub, at, context)
    const place = link ? path.join(state.memoryOf(link.folder, at), 'commits') : path.join(scratch, 'commits')
    const taken = await takeCommits({ repository, place, log: read.commits, hub, at, signal })
    const ends = await endsOf(repository, read, taken, signal)
    const device = link?.device ?? deviceFor(at)
    return await act({ hub, at, repository, device, ...read, taken, ...ends, scratch })
  } catch (error) {
    if (error instanceof CommitsFailed) throw new Trouble('failed', error.message, error.nextStep, error)
    throw hubTrouble(error, hub.url, context) ?? error
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

type Which = { hub: Hub; at: RunAddress; folder: string; link: Link | null; state: StateFolder }

async function whichRun(
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
): Promise<Which> {
  const place = stateFolderPath(flags.state, context)
  const state = new StateFolder(place)
  const cwd = realPath(context.cwd)
  const isThere = (folder: string | undefined) => folder !== undefined && folder !== '' && existsSync(folder)
  if (named === undefined && state.around(cwd)) {
    const { hub, at, link } = await linkedRun(flags, context)
    return { hub, at, folder: isThere(link?.folder) ? link!.folder : cwd, link, state }
  }
  const { hub, at, known } = await reachRun(named ?? runAround(cwd, place, context), flags, context)
  const link = state.links().find((one) => one.at.run === at.run) ?? null
  const folder = [link?.folder, known?.workspace].find(isThere) ?? cwd
  return { hub, at, folder, link, state }
}

/** The run that works, or has worked, in the current folder. */
function runAround(cwd: string, place: string, { called }: CommandContext): string {
  const runs = new LocalRuns(place)
  const around = runs.all().filter(({ workspace }) => workspace !== '' && isWithin(workspace, cwd))
  const open = around.filter(({ at }) => runs.closedAt(at.run) === null)
  const found = open.length > 0 ? open : around
  const [only] = found
  if (only && found.length === 1) return only.at.run
  const some = found.map(({ at }) => at.run).slice(0, 5)
  const list = `\`${called.farhand} ls\` lists the runs that there are.`
  if (only)
    throw new Trouble('usage', `Which run? Several have worked here: ${some.join(', ')}.`, 'Name one.')
  throw new Trouble('usage', `Which run? None has worked in ${cwd}.`, `Name one: ${list}`)
}

async function readRun(hub: Hub, at: RunAddress, { stop }: CommandContext) {
  const files = new WorkspaceTree()
  const commits = new LoggedCommits()
  let asked: string | null = null
  let beganAt: string | null = null
  for await (const event of readLog(hub, at, { signal: stop, patienceMs })) {
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
