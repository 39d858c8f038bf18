import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckpointRepository } from './checkpoint-repository.ts'
import { configToKeep, settingsIn } from './config-to-keep.ts'

/** Everything of a repository besides its objects, and the objects it needs. Reading it changes nothing there. */
export type GitState = {
  /** Files below `.git` that a restore writes. */
  files: Map<string, Buffer>
  /** Commits and tags from which all other objects are reachable. */
  tips: string[]
  /** Trees that are in no commit. */
  trees: string[]
  /** The tree of the index; null during a merge, or if it cannot be read. */
  staged: string | null
  head: string | null
  branch: string | null
  /** Equal for two states that a user could not tell apart. */
  print: string
}

const plainFiles = [
  'HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'ORIG_HEAD',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'BISECT_LOG',
  'BISECT_START',
  'BISECT_NAMES',
  'BISECT_TERMS',
  'BISECT_EXPECTED_REV',
  'shallow',
  'info/exclude',
  'info/sparse-checkout',
  'logs/refs/stash',
]
const headLog = 'logs/HEAD'
const mostLogLines = 200
const folders = ['rebase-merge', 'rebase-apply', 'sequencer']
const mostBytes = 4 * 1024 * 1024
const mostFiles = 5_000
const mostIndexBytes = 256 * 1024 * 1024
const someSha = /\b[0-9a-f]{40}\b/g
const noSha = '0'.repeat(40)

/** Files whose stat shows that HEAD, branches or index have changed, without running git. */
const signs = [
  'HEAD',
  'index',
  'packed-refs',
  'logs/HEAD',
  'refs/heads',
  'refs/tags',
  'refs/stash',
  'MERGE_HEAD',
  'rebase-merge',
  'config',
]

/**
 * A fingerprint that changes with most git operations in this workspace, for the price of a few stats; null without
 * git.
 */
export function gitSign(root: string): string | null {
  const folder = gitFolder(root)
  if (!folder) return null
  const looks = signs.map((sign) => {
    const stats = statSync(join(folder, sign), { throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
  })
  return looks.join('|')
}

/** The repository inside this workspace; null if there is none. */
export function gitFolder(root: string): string | null {
  const folder = join(root, '.git')
  const isFolder = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()
  if (!isFolder('.') || !isFolder('objects')) return null
  return lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false })?.isFile() ? folder : null
}

/** Whether `.git` is a file or link that points to a repository elsewhere. */
export function isElsewhere(root: string): boolean {
  const stats = lstatSync(join(root, '.git'), { throwIfNoEntry: false })
  return stats !== undefined && !stats.isDirectory()
}

/**
 * The current state of the workspace's repository; null if there is none. Trees of the index are written into our
 * repository.
 */
export async function gitState(
  repository: CheckpointRepository,
  root: string,
  scratch: string,
  signal: AbortSignal,
): Promise<GitState | null> {
  const folder = gitFolder(root)
  if (!folder) return null
  const files = new Map<string, Buffer>()
  for (const name of plainFiles) put(files, name, read(join(folder, name)))
  for (const name of folders) readAll(folder, name, files)
  // The reflog of HEAD: with it the user can recover what was amended or reset.
  put(files, headLog, lastLines(read(join(folder, headLog), mostIndexBytes)))
  const headText = files.get('HEAD')?.toString().trim() ?? ''
  const branch = /^ref: refs\/heads\/(.+)$/.exec(headText)?.[1] ?? null
  const theirs = ['--git-dir', folder]
  const format = '--format=%(objectname) %(refname) %(*objectname) %(symref)'
  const listed = (await repository.git.run([...theirs, 'for-each-ref', format], { signal })).toString()
  const refs = readRefs(listed)
  const config = ['config', '--file', join(folder, 'config'), '--no-includes', '--list', '-z']
  const settings = settingsIn((await repository.git.run(config, { signal })).toString())
  if (settings.some(({ name, value }) => name === 'extensions.objectformat' && value !== 'sha1'))
    throw new Error('repositories with names of SHA-256 are not kept')
  files.set('config', Buffer.from(configToKeep(settings)))
  files.set('packed-refs', Buffer.from(packedRefs(refs)))
  for (const { name, symref } of refs) if (symref) files.set(name, Buffer.from(`ref: ${symref}\n`))
  const named = new Set(refs.map(({ sha }) => sha))
  for (const bytes of files.values())
    for (const [sha] of bytes.toString('latin1').matchAll(someSha)) named.add(sha)
  named.delete(noSha)
  repository.cutAt(files.get('shallow') ?? null)
  const { tips, trees } = await whatThereIs(repository, named, signal)
  const index = read(join(folder, 'index'), mostIndexBytes)
  const { staged, alsoTrees } = index
    ? await stagedIn(repository, folder, index, scratch, signal)
    : nothingStaged
  const print = createHash('sha256')
  for (const [name, bytes] of files) print.update(`${name}\0${bytes.length}\0`).update(bytes)
  print.update([staged ?? '', ...alsoTrees].join(' '))
  if (index) files.set('index', index)
  const ours = refs.find(({ name }) => name === `refs/heads/${branch}`)
  const head = branch ? (ours?.sha ?? null) : (/^[0-9a-f]{40}$/.exec(headText)?.[0] ?? null)
  return {
    files,
    tips,
    trees: [...trees, ...alsoTrees],
    staged,
    head,
    branch,
    print: print.digest('hex'),
  }
}

type Ref = { name: string; sha: string; peeled: string; symref: string }

function readRefs(listed: string): Ref[] {
  return listed.split('\n').flatMap((line) => {
    const [sha, name, peeled = '', symref = ''] = line.split(' ')
    return sha && name ? [{ sha, name, peeled, symref }] : []
  })
}

function packedRefs(refs: readonly Ref[]): string {
  const lines = refs
    .filter(({ symref }) => !symref)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ sha, name, peeled }) => `${sha} ${name}\n${peeled && `^${peeled}\n`}`)
  return `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`
}

/** Which of these objects exist: a file may name one that was collected long ago. */
async function whatThereIs(repository: CheckpointRepository, named: Iterable<string>, signal: AbortSignal) {
  const input = [...named].map((sha) => `${sha}\n`).join('')
  const said = await repository.text(['cat-file', '--batch-check', '--buffer'], { input, signal })
  const of = (kinds: string[]) =>
    said.split('\n').flatMap((line) => {
      const [sha = '', kind = ''] = line.split(' ')
      return kinds.includes(kind) ? [sha] : []
    })
  return { tips: of(['commit', 'tag']), trees: of(['tree']) }
}

const nothingStaged = { staged: null, alsoTrees: [] as string[] }

/** The tree of an index, or, during a merge, trees with its contents. */
async function stagedIn(
  repository: CheckpointRepository,
  folder: string,
  index: Buffer,
  scratch: string,
  signal: AbortSignal,
): Promise<{ staged: string | null; alsoTrees: string[] }> {
  const copy = join(scratch, 'index')
  const draft = join(scratch, 'index.stages')
  for (const file of [copy, draft]) rmSync(file, { force: true })
  writeFileSync(copy, index)
  const objects = join(repository.folder, 'objects')
  // Objects are read from their repository, and written to ours.
  const env = { GIT_DIR: folder, GIT_INDEX_FILE: copy, GIT_OBJECT_DIRECTORY: objects }
  try {
    const unmerged = await repository.run(['ls-files', '--unmerged', '-z'], { env, signal })
    const list = async (what: string, below: string) => {
      const listed = await repository.run(['ls-files', what, '-z'], { env, signal })
      return listed.toString('latin1').replace(/(^|\0)(\d+ [0-9a-f]+) (\d)\t/g, `$1$2 0\t${below}-$3/`)
    }
    let apart = index.includes('REUC') ? await list('--resolve-undo', 'undo') : ''
    if (unmerged.length > 0) apart += await list('--stage', 'stage')
    const alsoTrees: string[] = []
    if (apart !== '') {
      const ours = { env: { GIT_INDEX_FILE: draft }, signal }
      const info = ['update-index', '-z', '--index-info']
      await repository.run(info, { ...ours, input: Buffer.from(apart, 'latin1') })
      alsoTrees.push(await repository.text(['write-tree', '--missing-ok'], ours))
    }
    if (unmerged.length > 0) return { staged: null, alsoTrees }
    return { staged: await repository.text(['write-tree', '--missing-ok'], { env, signal }), alsoTrees }
  } finally {
    for (const file of [copy, draft]) rmSync(file, { force: true })
  }
}

function lastLines(bytes: Buffer | null): Buffer | null {
  return (
    bytes &&
    Buffer.from(
      bytes
        .toString('latin1')
        .split('\n')
        .slice(-mostLogLines - 1)
        .join('\n'),
      'latin1',
    )
  )
}

function readAll(folder: string, name: string, files: Map<string, Buffer>): void {
  const place = join(folder, name)
  if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (files.size > mostFiles) return
    const inside = `${name}/${entry.name}`
    if (entry.isDirectory()) readAll(folder, inside, files)
    else if (entry.isFile()) put(files, inside, read(join(folder, inside)))
  }
}

function put(files: Map<string, Buffer>, name: string, bytes: Buffer | null): void {
  if (bytes) files.set(name, bytes)
}

/** Reads a file that git only ever replaces as a whole. */
function read(file: string, most = mostBytes): Buffer | null {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > most) return null
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}
