import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { CheckpointRepository } from './checkpoint-repository.ts'
import { push } from './git-process.ts'

/** The content of a file: bytes in memory, or a file that nothing else writes to. */
export type Content = { bytes: Uint8Array } | { file: string; size: number }

/** One changed path of a commit: deleted, a file, or a tree that the repository has. */
export type PathWrite =
  | { path: string; is: 'gone' }
  | { path: string; is: 'file'; mode: FileMode; content: Content }
  | { path: string; is: 'tree'; sha: string }

export type CommitToWrite = {
  parent: string | null
  message: string
  /** Seconds. */
  time: number
  /** Consumed one by one, so that contents are not all in memory. Deletions have to come first. */
  paths: AsyncIterable<PathWrite> | Iterable<PathWrite>
}

/** Writes commits, each as its parent with these paths changed, in one git process. Returns their hashes in order. */
export async function writeCommits(
  repository: CheckpointRepository,
  commits: readonly CommitToWrite[],
  signal: AbortSignal,
): Promise<string[]> {
  const input = async (to: Writable) => {
    const say = (words: string | Uint8Array) => push(to, words)
    await say('feature done\n')
    for (const [at, commit] of commits.entries()) await writeCommit(say, commit, at)
    await say('done\n')
  }
  const set = ['-c', 'core.compression=1', '-c', 'pack.threads=1']
  const options = { input, signal }
  const said = await repository.text([...set, 'fast-import', '--quiet', '--force', '--depth=0'], options)
  return said.split('\n')
}

type Say = (words: string | Uint8Array) => Promise<void>

async function writeCommit(
  say: Say,
  { parent, message, time, paths }: CommitToWrite,
  at: number,
): Promise<void> {
  // A commit refers to its contents, so these come first; the lines about paths are short.
  const lines: string[] = []
  let mark = 1
  for await (const write of paths) {
    const name = quoted(write.path)
    if (write.is === 'gone') lines.push(`D ${name}\n`)
    else if (write.is === 'tree') lines.push(`M 040000 ${write.sha} ${name}\n`)
    else {
      lines.push(`M ${write.mode} :${at * 10_000_000 + mark} ${name}\n`)
      await writeBlob(say, at * 10_000_000 + mark, write.content)
      mark += 1
    }
  }
  const own = at * 10_000_000 + 9_999_999
  await say(`commit refs/farhand/writing/${at}\nmark :${own}\n`)
  await say(`committer Farhand <farhand@localhost> ${Math.floor(time)} +0000\n`)
  await say(`data ${Buffer.byteLength(message)}\n${message}\n`)
  if (parent) await say(`from ${parent}\n`)
  for (let from = 0; from < lines.length; from += 1000) await say(lines.slice(from, from + 1000).join(''))
  await say(`\nget-mark :${own}\n`)
}

async function writeBlob(say: Say, mark: number, content: Content): Promise<void> {
  const size = 'file' in content ? content.size : content.bytes.length
  await say(`blob\nmark :${mark}\ndata ${size}\n`)
  if ('file' in content) for await (const piece of createReadStream(content.file)) await say(piece as Buffer)
  else await say(content.bytes)
  await say('\n')
}

const quoted = (path: string) => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
