import { execFileSync } from 'node:child_process'
import { isOurs, type Source } from './source.ts'

/** Every file of ours that is code, as it was at a commit of this repository. Throws if there is no such commit. */
export function sourcesOfCommit(root: string, commit: string): Source[] {
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', args, { cwd: root, input, maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'pipe'] })
  const revision = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`])
  const listed = git(['ls-tree', '-r', '-z', '--name-only', String(revision).trim(), 'packages', 'tools'])
  const paths = String(listed).split('\0').filter(isOurs)
  const objects = paths.map((path) => `${String(revision).trim()}:${path}\n`).join('')
  const output = git(['cat-file', '--batch'], objects)
  let at = 0
  return paths.map((path) => {
    // "<id> blob <size>", its bytes, and a newline after them.
    const head = output.indexOf('\n', at)
    const size = Number(String(output.subarray(at, head)).split(' ').at(-1))
    at = head + 1 + size + 1
    return { path, text: String(output.subarray(head + 1, head + 1 + size)) }
  })
}

/** One file as it was at a commit, which is there; empty if the file was not. */
export function textOfCommit(root: string, commit: string, path: string): string {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', ['show', '--end-of-options', `${commit}:${path}`], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio,
    })
  } catch {
    return ''
  }
}
