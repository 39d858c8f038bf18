import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type Base, type BaseOptions, makeBase } from './make-base.ts'

/** A temporary repository with its own home, so that the user's settings do not matter. */
export class RepositoryUnderTest {
  readonly home: string
  readonly folder: string
  readonly env: Record<string, string>

  constructor() {
    this.home = mkdtempSync(path.join(tmpdir(), 'farhand-base-'))
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }))
    this.folder = path.join(this.home, 'work')
    mkdirSync(this.folder)
    this.env = { PATH: process.env.PATH ?? '', HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' }
    this.git('config', '--global', 'user.name', 'Ada')
    this.git('config', '--global', 'user.email', 'ada@example.org')
    this.git('config', '--global', 'protocol.file.allow', 'always')
    this.git('init', '--quiet', '--initial-branch=main')
  }

  git(...args: string[]): string {
    return this.gitIn(this.folder, ...args)
  }

  gitIn(cwd: string, ...args: string[]): string {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    return execFileSync('git', args, { cwd, env: this.env, encoding: 'utf8', stdio }).trimEnd()
  }

  write(files: Record<string, string>, folder = this.folder): void {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }

  commit(files: Record<string, string>, message = 'a commit'): void {
    this.write(files)
    this.git('add', '--all')
    this.git('commit', '--quiet', '--message', message)
  }

  async base(folder = this.folder, options: Partial<BaseOptions> = {}) {
    const { signal } = new AbortController()
    const made = await makeBase(folder, { env: this.env, scratch: this.home, signal, ...options })
    onTestFinished(() => made.base?.remove())
    return made.base && { ...made.base, warnings: made.warnings }
  }

  /** The folder as a sandbox has it: what the base says, and then the files, which travel by themselves. */
  restored(base: Base, files = this.folder): string {
    const folder = mkdtempSync(path.join(this.home, 'restored-'))
    this.gitIn(folder, 'init', '--quiet', '--initial-branch=none')
    writeFileSync(path.join(folder, '.git/shallow'), base.shallow.map((sha) => `${sha}\n`).join(''))
    this.gitIn(folder, 'fetch', '--quiet', '--no-tags', base.file, '+refs/*:refs/*')
    if (base.branch) this.gitIn(folder, 'symbolic-ref', 'HEAD', `refs/heads/${base.branch}`)
    else this.gitIn(folder, 'update-ref', '--no-deref', 'HEAD', base.sha)
    this.gitIn(folder, 'read-tree', base.index ?? base.sha)
    for (const name of readdirSync(files))
      if (name !== '.git') cpSync(path.join(files, name), path.join(folder, name), { recursive: true })
    return folder
  }

  /** How the folder stands, as git tells it. */
  standing(folder = this.folder) {
    const log = () => {
      try {
        return this.gitIn(folder, 'log', '--format=%H %s')
      } catch {
        return 'no commits'
      }
    }
    return { status: this.gitIn(folder, 'status', '--short', '--branch').replace(/\.\.\..*/, ''), log: log() }
  }

  /** Every byte below a folder, by path. */
  bytes(folder: string): Record<string, string> {
    const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((found) =>
      found.isFile(),
    )
    return Object.fromEntries(
      all.map(({ parentPath, name }) => {
        const file = path.join(parentPath, name)
        return [path.relative(folder, file), readFileSync(file, 'latin1')]
      }),
    )
  }
}
