import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { BundleHeader } from './bundle-header.ts'
import type { Git, GitRun } from './git.ts'

const names = 'refs/farhand/'
// Files are stored byte by byte: no conversion of line ends, no keywords, no filter programs.
const attributes = '* -text -ident -filter !eol !working-tree-encoding\n'

const nameOf = (number: number, sha: string) => `${names}k${number}/${sha}`

/**
 * The runner's own repository, outside of the workspace. It borrows the objects of the agent's repository and writes
 * nothing there. Every object that a bundle must keep has a ref with the number of the checkpoint that kept it first,
 * so the objects between two checkpoints are the refs with numbers between theirs.
 */
export class CheckpointRepository {
  readonly git: Git
  readonly folder: string
  /** By object: the number of the checkpoint that kept it first. */
  readonly #kept = new Map<string, number>()

  /** Refs of bundles that were imported before they were needed. */
  readonly ahead = new Map<BlobHash, BundleHeader['refs']>()
  readonly #borrows: string

  private constructor(git: Git, folder: string, borrows: string) {
    this.git = git
    this.folder = folder
    this.#borrows = borrows
  }

  /** Opens the repository or creates it. `borrows` is the object folder of the repository in the workspace. */
  static async open(git: Git, folder: string, borrows: string): Promise<CheckpointRepository> {
    const repository = new CheckpointRepository(git, folder, borrows)
    await repository.#begin()
    return repository
  }

  /** Deletes everything and starts again. */
  async beginAnew(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true })
    this.#kept.clear()
    this.ahead.clear()
    await this.#begin()
  }

  async #begin(): Promise<void> {
    const isNew = !existsSync(join(this.folder, 'refs'))
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    await this.git.run(['init', '--quiet', '--bare', '--template=', '--object-format=sha1', this.folder])
    mkdirSync(join(this.folder, 'info'), { recursive: true })
    writeFileSync(join(this.folder, 'info', 'attributes'), attributes)
    mkdirSync(join(this.folder, 'objects', 'info'), { recursive: true })
    // Quoted, as the path may begin with any character. Git ignores a folder that does not exist.
    writeFileSync(join(this.folder, 'objects', 'info', 'alternates'), `${JSON.stringify(this.#borrows)}\n`)
    if (isNew) return
    const refs = await this.text(['for-each-ref', '--format=%(objectname) %(refname)', names])
    for (const line of refs.split('\n')) {
      const [, sha, number] = /^(\S+) refs\/farhand\/k(\d+)\//.exec(line) ?? []
      if (sha) this.#note(sha, Number(number))
    }
  }

  run(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    return this.git.run(args, this.#here(options))
  }

  text(args: readonly string[], options: GitRun = {}): Promise<string> {
    return this.git.text(args, this.#here(options))
  }

  stream(...[args, options, read]: Parameters<Git['stream']>): Promise<void> {
    return this.git.stream(args, this.#here(options), read)
  }

  /** Sets where history is shallow, as `.git/shallow` has it, so that git does not look for missing parents. */
  cutAt(shallow: Buffer | null): void {
    const file = join(this.folder, 'shallow')
    if (shallow) writeFileSync(file, shallow)
    else rmSync(file, { force: true })
  }

  /** Whether any checkpoint has kept the object. */
  has(sha: string): boolean {
    return this.#kept.has(sha)
  }

  /** Marks these objects as first kept by the checkpoint of this number. */
  async keep(number: number, shas: Iterable<string>): Promise<void> {
    const news = [...new Set(shas)].filter((sha) => !this.#kept.has(sha))
    if (news.length === 0) return
    const input = news.map((sha) => `update ${nameOf(number, sha)} ${sha}\n`).join('')
    await this.run(['update-ref', '--stdin'], { input })
    for (const sha of news) this.#note(sha, number)
  }

  /** Removes what a checkpoint kept that was never written to the log. */
  async drop(number: number): Promise<void> {
    const dropped = [...this.#kept].filter(([, of]) => of === number).map(([sha]) => sha)
    if (dropped.length === 0) return
    const input = dropped.map((sha) => `delete ${nameOf(number, sha)}\n`).join('')
    await this.run(['update-ref', '--stdin'], { input })
    for (const sha of dropped) this.#kept.delete(sha)
  }

  /** Writes a bundle of what was kept after checkpoint `after`, up to this number. */
  async bundle(
    file: string,
    after: number,
    number: number,
    options: GitRun & { window: number },
  ): Promise<void> {
    const lines: string[] = []
    for (const [sha, of] of this.#kept)
      if (of <= number) lines.push(of <= after ? `^${sha}` : nameOf(of, sha))
    const words = ['bundle', 'create', '--quiet', '--version=2', file, '--stdin']
    await this.#pack(words, lines, options)
  }

  /** Writes a pack with its index of everything kept up to this number, and returns the matching bundle header. */
  async pack(
    name: string,
    number: number,
    options: GitRun & { window: number },
  ): Promise<{ head: string; pack: string; index: string }> {
    const kept = [...this.#kept].filter(([, of]) => of <= number)
    const words = ['pack-objects', '--quiet', '--revs', '--delta-base-offset', name]
    const lines = kept.map(([sha, of]) => nameOf(of, sha))
    const sum = await this.#pack(words, lines, options)
    const refs = kept.map(([sha, of]) => `${sha} ${nameOf(of, sha)}\n`)
    const head = `# v2 git bundle\n${refs.join('')}\n`
    return { head, pack: `${name}-${sum}.pack`, index: `${name}-${sum}.idx` }
  }

  #pack(words: string[], lines: string[], { window, ...rest }: GitRun & { window: number }): Promise<string> {
    const set = [`pack.window=${window}`, 'pack.threads=1', 'core.compression=1']
    const input = `${lines.join('\n')}\n`
    return this.text([...set.flatMap((one) => ['-c', one]), ...words], { ...rest, input })
  }

  #note(sha: string, number: number): void {
    const known = this.#kept.get(sha)
    if (known === undefined || number < known) this.#kept.set(sha, number)
  }

  #here(options: GitRun): GitRun {
    return { ...options, env: { GIT_DIR: this.folder, ...options.env } }
  }
}
