import { chmodSync, copyFileSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { RestorePoint } from './bundle-chain.ts'
import type { BundleHeader } from './git/bundle-header.ts'
import type { CheckpointRepository } from './git/checkpoint-repository.ts'
import { configToKeep } from './git/config-to-keep.ts'

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Creates the workspace's `.git` as it was at a checkpoint, or as a device describes it for a base. Returns whether
 * there is one.
 */
export async function makeDotGit(
  repository: CheckpointRepository,
  root: string,
  point: RestorePoint,
  refs: BundleHeader['refs'],
  signal: AbortSignal,
): Promise<boolean> {
  if (point.kind === 'checkpoint' && !point.state) return false
  const folder = join(root, '.git')
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks'])
    mkdirSync(join(folder, name), { recursive: true })
  sharePacks(join(repository.folder, 'objects', 'pack'), join(folder, 'objects', 'pack'))
  const files = point.state ? await filesOf(repository, point.state, signal) : filesOfBase(point, refs)
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
    // Git executes these.
    if (/^rebase-[a-z]+\/.*\.sh$/.test(name)) chmodSync(join(folder, name), 0o755)
  }
  // Git knows the empty tree built in, and yet fails if the index refers to it and the object is missing.
  if (point.index === emptyTree) {
    mkdirSync(join(folder, 'objects', emptyTree.slice(0, 2)), { recursive: true })
    const file = join(folder, 'objects', emptyTree.slice(0, 2), emptyTree.slice(2))
    writeFileSync(file, deflateSync('tree 0\0'))
  }
  const staged = point.index ?? point.head
  if (!point.state && staged) {
    const env = { GIT_DIR: folder, GIT_INDEX_FILE: join(folder, 'index') }
    await repository.run(['read-tree', staged], { env, signal })
  }
  return true
}

/** Packs never change, so both repositories hard-link the same file. Each may delete its own name of it. */
function sharePacks(from: string, to: string): void {
  // Index first: git ignores a pack without an index.
  for (const name of readdirSync(from).sort().reverse()) {
    try {
      linkSync(join(from, name), join(to, name))
    } catch {
      copyFileSync(join(from, name), join(to, name))
    }
  }
}

async function filesOf(repository: CheckpointRepository, state: string, signal: AbortSignal) {
  const listed = (await repository.run(['ls-tree', '-r', '-z', `${state}:files`], { signal })).toString()
  const entries = listed
    .split('\0')
    .slice(0, -1)
    .map((line) => /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line)!)
  const input = entries.map(([, sha]) => `${sha}\n`).join('')
  const bytes = await repository.run(['cat-file', '--batch', '--buffer'], { input, signal })
  const files = new Map<string, Buffer>()
  let from = 0
  for (const [, , name] of entries) {
    const end = bytes.indexOf(10, from)
    const size = Number(bytes.toString('latin1', from, end).split(' ')[2])
    files.set(name!, bytes.subarray(end + 1, end + 1 + size))
    from = end + 1 + size + 1
  }
  return files
}

function filesOfBase(point: RestorePoint, refs: BundleHeader['refs']): Map<string, Buffer> {
  const { branch, head, shallow = [], remotes = [], upstream, user } = point
  const settings = remotes.flatMap(({ name, url }) => [
    { name: `remote.${name}.url`, value: url },
    { name: `remote.${name}.fetch`, value: `+refs/heads/*:refs/remotes/${name}/*` },
  ])
  const followed = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(upstream ?? '')
  if (branch && followed)
    settings.push(
      { name: `branch.${branch}.remote`, value: followed[1]! },
      { name: `branch.${branch}.merge`, value: `refs/heads/${followed[2]}` },
    )
  if (user) settings.push({ name: 'user.name', value: user.name }, { name: 'user.email', value: user.email })
  const named = refs.filter(({ name }) => /^refs\/(heads|tags|remotes)\//.test(name))
  const lines = named
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ sha, name }) => `${sha} ${name}\n`)
  const files = new Map([
    ['HEAD', Buffer.from(branch ? `ref: refs/heads/${branch}\n` : `${head ?? point.sha}\n`)],
    ['config', Buffer.from(configToKeep(settings))],
    ['packed-refs', Buffer.from(`# pack-refs with: sorted \n${lines.join('')}`)],
  ])
  if (shallow.length > 0) files.set('shallow', Buffer.from(shallow.map((sha) => `${sha}\n`).join('')))
  return files
}
