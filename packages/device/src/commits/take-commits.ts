import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { isPassing } from '@farhand/client/requests/refusal'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { RestorePoint } from '@farhand/runner/checkpoints/bundle-chain'
import { CheckpointRepository } from '@farhand/runner/checkpoints/git/checkpoint-repository'
import { Git } from '@farhand/runner/checkpoints/git/git'
import { push } from '@farhand/runner/checkpoints/git/git-process'
import { BundleImportError, importBundles } from '@farhand/runner/checkpoints/import-bundles'
import { lockState } from '@farhand/sync/state/lock-state'
import { CommitsFailed, gitSaid, whyGitFailed } from './commits-failed.ts'
import type { LoggedCommits } from './logged-commits.ts'
import { branchesIn, refsInTheWay, runRefs } from './run-refs.ts'
import type { UserRepository } from './user-repository.ts'

export type TakeParts = {
  repository: UserRepository
  /** A state folder for this run and this repository only; it caches bundles for the next call. */
  place: string
  log: LoggedCommits
  hub: Hub
  at: RunAddress
  signal: AbortSignal
}

export type TakenRef = { ref: string; sha: string; was: string | null }

export type Taken = {
  /** The base of the run, if the repository has it. */
  base: string | null
  /** The agent's HEAD and branch; null without a commit. */
  head: string | null
  branch: string | null
  checkpoint: string | null
  /** All refs of the run now, with their previous commits. */
  refs: TakenRef[]
}

const mostBytes = 4 * 1024 ** 3

/**
 * Fetches the agent's commits, up to its newest checkpoint, into the user's repository, under the run's own refs: HEAD,
 * index, branches, settings and hooks do not change. Everything is verified before a ref is set.
 */
export async function takeCommits(parts: TakeParts): Promise<Taken> {
  const lock = await alone(parts)
  try {
    return await take(parts)
  } finally {
    lock.release()
  }
}

/** Waits for the lock: a command and the link process may fetch at the same time. */
async function alone({ place, signal }: TakeParts): Promise<{ release(): void }> {
  for (;;) {
    const lock = lockState(place)
    if (!('holder' in lock)) return lock
    await sleep(100, { signal })
  }
}

async function take(parts: TakeParts): Promise<Taken> {
  const { repository, log, at, signal } = parts
  const names = runRefs(at.run)
  const there = await repository.refs(names.folder, signal)
  const base = log.base && (await repository.has(log.base.sha, signal)) ? log.base : null
  const point = log.checkpoint
  const wanted = new Map<string, string>()
  if (base) wanted.set(names.base, base.sha)
  let head = base?.head ?? null
  if (point) {
    head = point.head ?? null
    wanted.set(names.checkpoint, point.sha)
    // Existing refs were verified when they were set; the checkpoint has not changed.
    if (there.get(names.checkpoint) === point.sha) for (const [ref, sha] of there) wanted.set(ref, sha)
    else await bring(parts, point, { wanted, there, baseHead: log.base?.head ?? null })
  }
  await nameAll(repository, there, wanted, signal)
  const refs = [...wanted].map(([ref, sha]) => ({ ref, sha, was: there.get(ref) ?? null }))
  const branch = point ? (point.branch ?? null) : (base?.branch ?? null)
  return { base: base?.sha ?? null, head, branch, checkpoint: point?.sha ?? null, refs }
}

type Wish = { wanted: Map<string, string>; there: ReadonlyMap<string, string>; baseHead: string | null }

async function bring(
  parts: TakeParts,
  point: RestorePoint,
  { wanted, there, baseHead }: Wish,
): Promise<void> {
  const { repository, at, signal } = parts
  const names = runRefs(at.run)
  const own = await openOwn(parts)
  await takeLine(parts, own, point)
  const packed = point.state
    ? (await own.run(['cat-file', 'blob', `${point.state}:files/packed-refs`], { signal })).toString('utf8')
    : ''
  for (const [name, sha] of branchesIn(packed)) {
    const ref = names.branch(name)
    if (there.has(ref) || (await isNews(own, repository, { name, sha, baseHead }, signal)))
      wanted.set(ref, sha)
  }
  if (point.head && point.branch == null && point.head !== baseHead) wanted.set(names.head, point.head)
  await handOver(repository, own, [...new Set(wanted.values())], signal)
}

/** A temporary repository that borrows the user's objects: invalid data gets no further than here. */
async function openOwn({ repository, place }: TakeParts): Promise<CheckpointRepository> {
  mkdirSync(join(place, 'scratch'), { recursive: true, mode: 0o700 })
  const git = new Git(repository.path)
  const own = await CheckpointRepository.open(git, join(place, 'repository'), repository.objects)
  own.cutAt(repository.shallow)
  return own
}

/** Downloads all missing bundles that lead to a checkpoint. */
async function takeLine(parts: TakeParts, own: CheckpointRepository, point: RestorePoint): Promise<void> {
  const { repository, place, log, hub, at, signal } = parts
  const line = log.line.leadingTo(point) ?? []
  const from = { hub, at, scratch: join(place, 'scratch'), signal }
  const isBorrowed = async ({ kind, sha, index }: RestorePoint) =>
    kind === 'base' && index == null && (await repository.has(sha, signal))
  try {
    const missing: RestorePoint[] = []
    for (const one of line) if (!own.has(one.sha) && !(await isBorrowed(one))) missing.push(one)
    await importBundles(own, missing, from)
    await isWhole(own, repository, [point.sha, ...(point.head ? [point.head] : [])], signal)
  } catch (error) {
    signal.throwIfAborted()
    const full = whyGitFailed(error, place)
    if (full instanceof CommitsFailed) throw full
    // Borrowed objects may have been garbage-collected, or an interrupted fetch left half of something: start over
    // once.
    await own.beginAnew()
    own.cutAt(cutOf(line, repository))
    await importBundles(own, line, from).catch((error: unknown) => {
      signal.throwIfAborted()
      throw whyNotTaken(error, place)
    })
  }
}

/** The shallow list: the user's own, plus that of a base with a cut history. */
function cutOf([first]: readonly RestorePoint[], repository: UserRepository): Buffer | null {
  const cut = first?.kind === 'base' ? (first.shallow ?? []) : []
  const theirs = repository.shallow?.toString('utf8') ?? ''
  const all = new Set([...theirs.split('\n').filter((sha) => sha !== ''), ...cut])
  return all.size > 0 ? Buffer.from([...all].map((sha) => `${sha}\n`).join('')) : null
}

/** Throws unless all objects are present that these commits need beyond the user's refs. */
async function isWhole(
  own: CheckpointRepository,
  repository: UserRepository,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const input = await lacking(repository, shas, signal)
  await own.run(['rev-list', '--objects', '--quiet', '--stdin'], { input, signal })
}

async function lacking(
  repository: UserRepository,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const have = new Set((await repository.refs('refs/', signal)).values())
  return `${[...shas, ...[...have].map((sha) => `^${sha}`)].join('\n')}\n`
}

/** Whether the agent has added commits to this branch. */
async function isNews(
  own: CheckpointRepository,
  repository: UserRepository,
  { name, sha, baseHead }: { name: string; sha: string; baseHead: string | null },
  signal: AbortSignal,
): Promise<boolean> {
  const theirs = (await repository.refs(`refs/heads/${name}`, signal)).get(`refs/heads/${name}`)
  const known = [baseHead, theirs].filter((one) => one != null)
  if (known.includes(sha)) return false
  const here: string[] = []
  for (const one of known) if (await repository.has(one, signal)) here.push(`^${one}`)
  return (await own.text(['rev-list', '--max-count=1', sha, ...here], { signal })) !== ''
}

/** Copies the missing objects into the user's repository; throws unless all of them are valid. */
async function handOver(
  repository: UserRepository,
  own: CheckpointRepository,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const [revs, isPartial] = [await lacking(repository, shas, signal), await repository.isPartial(signal)]
  try {
    if ((await own.text(['rev-list', '--max-count=1', '--stdin'], { input: revs, signal })) !== '') {
      const pack = ['pack-objects', '--quiet', '--stdout', '--revs', '--delta-base-offset']
      // A partial clone lacks objects on purpose: no delta may build on them, and their absence is not an error.
      const [packed, checked] = isPartial ? [pack, '--fsck-objects'] : [[...pack, '--thin'], '--strict']
      await own.stream(packed, { input: revs, signal }, async (from) => {
        await repository.write(
          ['index-pack', '--stdin', '--fix-thin', checked, `--max-input-size=${mostBytes}`],
          {
            signal,
            async input(to) {
              for await (const piece of from) if (!to.destroyed) await push(to, piece as Buffer)
            },
          },
        )
      })
    }
    const connected = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet']
    if (isPartial) connected.push('--exclude-promisor-objects')
    await repository.run(connected, { input: `${shas.join('\n')}\n`, signal })
  } catch (error) {
    signal.throwIfAborted()
    const why = whyGitFailed(error, repository.folder)
    if (why instanceof CommitsFailed) throw why
    throw new CommitsFailed(
      `The agent's commits cannot be added to ${repository.folder}: ${gitSaid(error)}`,
      'Is this a clone of the repository that the run began from? `git fetch` may bring what it lacks.',
      { cause: error },
    )
  }
}

async function nameAll(
  repository: UserRepository,
  there: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const news = [...wanted].filter(([ref, sha]) => there.get(ref) !== sha)
  if (news.length === 0) return
  const stays = [...there.keys()].filter((ref) => !wanted.has(ref))
  const gone = refsInTheWay(stays, [...wanted.keys()])
  const deletions = gone.map((ref) => `delete ${ref}\n`).join('')
  // Git cannot delete a ref and create a conflicting one in one transaction.
  if (deletions) await repository.write(['update-ref', '--stdin'], { input: deletions, signal })
  const input = news.map(([ref, sha]) => `update ${ref} ${sha}\n`).join('')
  await repository.write(['update-ref', '--no-deref', '--stdin'], { input, signal })
}

function whyNotTaken(error: unknown, place: string): unknown {
  const why = whyGitFailed(error, place)
  if (why instanceof CommitsFailed) return why
  const cause = error instanceof BundleImportError ? error.cause : error
  if (cause instanceof Error && isPassing(cause)) return cause
  return new CommitsFailed(
    `The agent's commits cannot be fetched: ${gitSaid(cause)}`,
    'The next checkpoint may contain them; the files of the run are not affected.',
    { cause: error },
  )
}
