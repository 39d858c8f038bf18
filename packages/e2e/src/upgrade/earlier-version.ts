import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 30 })

/** Whether this clone has the history in which a commit is. */
export function hasCommit(commit: string): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/**
 * Puts the product as it was at a commit into a folder, and gives the command that a shell of then would call. It uses the libraries
 * that are installed here; the packages of the product it imports are those of then.
 */
export function earlierVersion(commit: string, into: string): string {
  mkdirSync(into, { recursive: true })
  execFileSync('tar', ['x', '-C', into], { input: git('archive', '--format=tar', commit) })
  const there = path.join(into, 'node_modules')
  copied(path.join(root, 'node_modules'), there)
  for (const name of readdirSync(path.join(into, 'packages'))) {
    // What npm could not put beside the others, as they need another version of it.
    const own = path.join(root, 'packages', name, 'node_modules')
    if (existsSync(own)) copied(own, path.join(into, 'packages', name, 'node_modules'))
  }
  return path.join(into, 'packages/farhand/bin/farhand.cjs')
}

/** The same files under another name: links to packages of the product are relative, and lead to those of then. */
function copied(from: string, to: string): void {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' })
  } catch {
    // Another disk, or a system without hard links.
    rmSync(to, { recursive: true, force: true })
    execFileSync('cp', ['-a', from, to])
  }
}
