import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeBase } from '@farhand/device/base/make-base'
import { olderContents } from '@farhand/device/base/older-contents'
import { readRepository } from '@farhand/device/base/read-repository'
import { RepositoryUnderTest } from '@farhand/device/base/repository-under-test'
import { CommitsUnderTest } from '@farhand/device/commits/commits-under-test'
import { UserRepository } from '@farhand/device/commits/user-repository'
import { writeRunTree } from '@farhand/device/commits/write-run-tree'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { eventsOf } from '@farhand/runner/checkpoints/place-under-test'
import { hubForTests } from '@farhand/sync/hub/run-under-test'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { foldersOnAHub } from '../files/two-folders.ts'

const { signal } = new AbortController()

/** A place for what must not happen: a program of the attacker's leaves a file in it. */
class Trap {
  readonly home = mkdtempSync(path.join(tmpdir(), 'farhand-trap-'))
  readonly sprung = path.join(this.home, 'sprung')
  readonly env = { PATH: process.env.PATH ?? '', HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' }

  constructor() {
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }))
  }

  /** What a shell runs. */
  get command(): string {
    return `touch ${this.sprung}; false`
  }

  get isSprung(): boolean {
    return existsSync(this.sprung)
  }

  /** Files that make a folder pass for a repository whose settings have git run a program. */
  get files(): Record<string, string> {
    const core = [
      'repositoryformatversion = 0',
      'bare = false',
      'worktree = .',
      `fsmonitor = "${this.command}"`,
    ]
    return {
      HEAD: 'ref: refs/heads/main\n',
      config: `[core]\n${core.map((line) => `\t${line}\n`).join('')}`,
      'objects/x': '',
      'refs/heads/x': '',
    }
  }

  set(folder: string): void {
    for (const [name, text] of Object.entries(this.files)) write(path.join(folder, name), text)
  }

  /** What a user types who works there. */
  status(cwd: string): void {
    try {
      execFileSync('git', ['status'], { cwd, env: this.env, stdio: 'ignore' })
    } catch {
      // There may be no repository at all, which is the best of answers.
    }
  }
}

function write(file: string, text: string, mode?: number): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (mode !== undefined) chmodSync(file, mode)
}

describe('a folder that an agent makes look like a repository', () => {
  const begin = foldersOnAHub()

  it('would run its programs if it were complete, which is what the tests below are about', () => {
    const trap = new Trap()
    const folder = path.join(trap.home, 'work')
    trap.set(folder)
    trap.status(folder)
    expect(trap.isSprung).toBe(true)
  })

  it.each([
    ['the folder itself', ''],
    ['a folder in it', 'lib/deep/'],
  ])('is never complete on its user’s disk: %s', async (_, below) => {
    const trap = new Trap()
    const two = await begin()
    await two.begin({ 'kept.txt': 'kept' })
    for (const [name, text] of Object.entries(trap.files)) two.sandbox.write(below + name, text)
    const { skip } = await two.heard(two.laptop, 'skipped', ({ skip }) => skip.why === 'repository')
    // Which one of them came last is chance; what matters is that one of them is held back.
    expect(Object.keys(trap.files).map((name) => below + name)).toContain(skip.path)
    two.sandbox.write('done.txt', 'done')
    await two.heard(two.laptop, 'applied', ({ path }) => path === 'done.txt')
    trap.status(path.join(two.laptop.root, below))
    expect(trap.isSprung).toBe(false)
  })

  it('is not a repository for any git call of ours, outside and inside of a real one', async () => {
    const trap = new Trap()
    const bare = path.join(trap.home, 'work')
    trap.set(bare)
    const given = { env: trap.env, signal }
    expect(await readRepository(bare, trap.env, signal)).toBeNull()
    expect(await UserRepository.around(bare, trap.env, signal)).toBeNull()
    expect(await makeBase(bare, { ...given, scratch: trap.home })).toEqual({ base: null, warnings: [] })
    const look = { ...given, known: [], isWorthReading: () => true, take: () => {} }
    expect(await olderContents(bare, look)).toBeNull()
    // A `.git` that is none makes git look at the folder itself.
    mkdirSync(path.join(bare, '.git'))
    await expect(readRepository(bare, trap.env, signal)).rejects.toThrow()
    expect(await UserRepository.around(bare, trap.env, signal)).toBeNull()

    const laptop = new RepositoryUnderTest()
    laptop.commit({ 'a.txt': 'one\n' })
    trap.set(path.join(laptop.folder, 'lib'))
    const around = await UserRepository.around(path.join(laptop.folder, 'lib'), laptop.env, signal)
    expect(around?.folder).toBe(laptop.folder)
    await around?.run(['status', '--porcelain'])
    expect(trap.isSprung).toBe(false)
  })
})

describe('settings of git that a run can write', () => {
  let hub: Awaited<ReturnType<typeof hubForTests>>
  beforeAll(async () => {
    hub = await hubForTests()
  })
  afterAll(() => hub.close())

  it('name no program that our git calls run: filters, monitors, drivers and helpers of the work tree', async () => {
    const trap = new Trap()
    const test = await CommitsUnderTest.on(hub.hub, (laptop) => {
      // Both are common: settings that a team shares in the repository, and a filter that lies there.
      laptop.git('config', 'include.path', '../.gitconfig')
      laptop.git('config', 'filter.tidy.clean', './tools/tidy.sh')
      laptop.git('config', 'filter.tidy.required', 'true')
      laptop.git('config', 'filter.own.clean', 'tr a-z A-Z')
    })
    const { laptop, place, run } = test
    const evil = `#!/bin/sh\n${trap.command}\ncat\n`
    const settings = [
      `[core]\n\tfsmonitor = "${trap.command}"\n\thooksPath = .hooks\n\tsshCommand = "${trap.command}"\n`,
      `[filter "more"]\n\tclean = "${trap.command}"\n\tsmudge = "${trap.command}"\n`,
      `[diff]\n\texternal = "${trap.command}"\n[diff "more"]\n\ttextconv = "${trap.command}"\n`,
      `[credential]\n\thelper = "!${trap.command}"\n[gpg]\n\tprogram = ${trap.sprung}\n`,
    ].join('')
    const files = {
      '.gitconfig': settings,
      '.gitattributes': 'a.txt filter=tidy\nb.txt filter=more diff=more\nc.txt filter=own\n',
      'tools/tidy.sh': evil,
      '.hooks/post-checkout': evil,
      '.hooks/reference-transaction': evil,
      'a.txt': 'two\n',
      'b.txt': 'b\n',
      'c.txt': 'c\n',
    }
    for (const [name, text] of Object.entries(files)) place.write(name, text)
    await place.settled()
    // As they would be in a linked folder.
    for (const [name, text] of Object.entries(files)) write(path.join(laptop.folder, name), text, 0o755)

    const repository = (await UserRepository.around(laptop.folder, laptop.env, signal))!
    expect(repository.suspects.files).toEqual(['.gitconfig'])
    const log = new WorkspaceTree()
    for (const event of await eventsOf(run)) log.apply(event)
    const scratch = mkdtempSync(path.join(trap.home, 'scratch-'))
    const parts = { repository, scratch, hub: run.hub, at: run.at, signal }
    const tree = await writeRunTree(parts, laptop.git('rev-parse', 'HEAD'), log)
    const shown = (name: string) => laptop.git('cat-file', 'blob', `${tree}:${name}`)
    // Files go as they are where the filter is none of the user's, and through it where it is.
    expect([shown('a.txt'), shown('b.txt'), shown('c.txt')]).toEqual(['two', 'b', 'C'])
    await repository.run(['diff-tree', '-p', '--no-ext-diff', '--no-textconv', 'HEAD', tree])
    await laptop.base()
    const look = { env: laptop.env, signal, known: [], isWorthReading: () => true, take: () => {} }
    await olderContents(laptop.folder, look)
    await test.take()
    expect(trap.isSprung).toBe(false)
  })
})
