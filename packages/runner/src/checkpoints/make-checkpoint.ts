import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import type { Hub } from '@farhand/client/requests/hub'
import { isPassing, Refusal } from '@farhand/client/requests/refusal'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { CheckpointRepository } from './git/checkpoint-repository.ts'
import { type CommitToWrite, type Content, type PathWrite, writeCommits } from './git/fast-import.ts'
import type { GitState } from './git/git-state.ts'
import { type Stored, storeBundle } from './store-bundle.ts'
import { copyVerified, readVerified, writePieces } from './verified-contents.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

export type CheckpointParts = {
  repository: CheckpointRepository
  root: string
  hub: Hub
  at: RunAddress
  scratch: string
  signal: AbortSignal
}

export type ToMake = {
  number: number
  /** The newest message of a user. */
  about: string | null
  /** The last event of the log that is included. */
  upTo: number
  parent: string | null
  /** The commit of the git state of the checkpoint before. */
  parentState: string | null
  /** The number of the checkpoint on whose bundle this one builds; -1 for none. */
  after: number
  changes: ReadonlyMap<WorkspacePath, FileEntry | null>
  git: GitState | null
}

export type Made = Stored & { sha: string; state: string | null; missing: WorkspacePath[] }

/** With more changes, git does not search for deltas: it takes long and saves little. */
const mostToCompare = 2_000

/**
 * Makes a commit of the files as the log has them and one of the git state, and stores what is new as a bundle; the
 * hub has it when this returns. A file whose content is lost everywhere stays as in the parent.
 */
export async function makeCheckpoint(parts: CheckpointParts, toMake: ToMake): Promise<Made> {
  const { repository, scratch, at, signal } = parts
  const { number, about, upTo, parent, parentState, after, changes, git } = toMake
  const missing: WorkspacePath[] = []
  const time = Date.now() / 1000
  const message = (what: string) => `${what}\n\nRun: ${at.run}\nEvent: ${upTo}\nCheckpoint: ${number}\n`
  const commits: CommitToWrite[] = [
    {
      parent,
      time,
      message: message(checkpointSubject(number, about)),
      paths: pathsOf(parts, changes, missing),
    },
  ]
  if (git)
    commits.push({
      parent: parentState,
      time,
      message: message(`State of git at checkpoint ${number}`),
      paths: pathsOfGit(git),
    })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  try {
    await repository.drop(number)
    const [sha, state = null] = (await writeCommits(repository, commits, signal)) as [string, string?]
    await repository.keep(number, [sha, ...(state ? [state] : []), ...(git?.tips ?? [])])
    const window = changes.size > mostToCompare ? 0 : 10
    return { sha, state, ...(await storeBundle(parts, after, number, window)), missing }
  } finally {
    for (const name of readdirSync(scratch)) if (name.startsWith('bundle')) rmSync(join(scratch, name))
  }
}

async function* pathsOf(
  parts: CheckpointParts,
  changes: ToMake['changes'],
  missing: WorkspacePath[],
): AsyncGenerator<PathWrite> {
  const { root, scratch } = parts
  const elsewhere: [WorkspacePath, FileEntry][] = []
  for (const [path, entry] of changes) if (!entry) yield { path, is: 'gone' }
  for await (const [path, entry] of yieldToEventLoop(changes)) {
    if (!entry) continue
    const bytes = isForGit(path, entry) ? readVerified(root, path, entry) : null
    if (bytes) yield { path, is: 'file', mode: entry.mode, content: { bytes } }
    else elsewhere.push([path, entry])
  }
  for (const [path, entry] of elsewhere) {
    const to = join(scratch, 'content')
    const content = isForGit(path, entry) ? await contentElsewhere(parts, path, entry, to) : null
    if (content) yield { path, is: 'file', mode: entry.mode, content }
    else missing.push(path)
    rmSync(to, { force: true })
  }
}

/** Gets a content that is too large to be read at once, or no longer on the disk. */
async function contentElsewhere(
  { root, hub, at, signal }: CheckpointParts,
  path: WorkspacePath,
  entry: FileEntry,
  to: string,
): Promise<Content | null> {
  const here = entry.mode === '120000' ? null : await copyVerified(root, path, entry, to)
  if (here) return here
  const options = { signal, newHasher: () => createHash('sha256') }
  try {
    return { file: to, size: await writePieces(downloadBlob(hub, at, entry.hash, options), to) }
  } catch (error) {
    if (error instanceof Refusal && !isPassing(error)) return null
    throw error
  }
}

/** Git refuses to check out a tree in which `.gitmodules` is a link. */
const isForGit = (path: string, { mode }: FileEntry) =>
  mode !== '120000' || !/(^|\/)\.gitmodules$/i.test(path)

function* pathsOfGit({ files, staged, trees }: GitState): Generator<PathWrite> {
  for (const path of ['files', 'staged', 'trees']) yield { path, is: 'gone' }
  for (const [name, bytes] of files)
    yield { path: `files/${name}`, is: 'file', mode: '100644', content: { bytes } }
  if (staged) yield { path: 'staged', is: 'tree', sha: staged }
  for (const sha of new Set(trees)) yield { path: `trees/${sha}`, is: 'tree', sha }
}

const mostWords = 60

/** The subject line of a checkpoint's commit, as users see it in `git log --all`: its number, and what it was about. */
export function checkpointSubject(number: number, about: string | null): string {
  // A newline would begin the commit's body, and a terminal would execute escape codes.
  const words = (about ?? '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const letters = [...words]
  const short =
    letters.length > mostWords
      ? `${letters
          .slice(0, mostWords - 1)
          .join('')
          .trimEnd()}…`
      : words
  return short === '' ? `Farhand checkpoint ${number}` : `Farhand checkpoint ${number}: ${short}`
}
