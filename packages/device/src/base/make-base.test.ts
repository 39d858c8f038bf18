import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeBase } from './make-base.ts'
import { RepositoryUnderTest } from './repository-under-test.ts'

describe('W40 what a run begins from', () => {
  it('is the repository as it stands, with what is staged, and stands alone', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': 'one', 'b.txt': 'one', 'gone.txt': 'x' }, 'first')
    own.git('tag', '--annotate', 'v1', '--message', 'v1')
    own.commit({ 'a.txt': 'two' }, 'second')
    own.git('switch', '--quiet', '--create', 'topic/x')
    own.write({ 'b.txt': 'staged', 'new.txt': 'staged, too' })
    own.git('add', '--all')
    own.write({ 'b.txt': 'dirty', 'untracked.txt': 'u' })
    rmSync(path.join(own.folder, 'gone.txt'))
    const base = (await own.base())!
    expect(base).toMatchObject({ branch: 'topic/x', shallow: [], warnings: [], head: base.sha })
    const restored = own.restored(base)
    expect(own.standing(restored)).toEqual(own.standing())
    expect(own.gitIn(restored, 'describe')).toBe(own.git('describe'))
    expect(own.gitIn(restored, 'fsck', '--strict')).toBe('')
  })

  it('leaves every byte of the repository as it was, also if files were touched since git last looked', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': 'one' })
    own.write({ 'b.txt': 'staged' })
    own.git('add', '--all')
    own.write({ 'a.txt': 'one' })
    const hook = path.join(own.folder, '.git/hooks/reference-transaction')
    writeFileSync(hook, `#!/bin/sh\ntouch "${own.home}/hook-ran"\n`)
    chmodSync(hook, 0o755)
    const before = own.bytes(own.home)
    await (await own.base())!.remove()
    expect(own.bytes(own.home)).toEqual(before)
  })

  it('removes what a killed process has left, and not what another process is making', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': 'one' })
    const [old, fresh] = [path.join(own.home, 'base-old'), path.join(own.home, 'base-new')]
    for (const place of [old, fresh]) mkdirSync(place)
    utimesSync(old, new Date(0), new Date(0))
    await (await own.base())!.remove()
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true])
  })

  it('hears nothing of what the environment says of another repository', async () => {
    const [own, other] = [new RepositoryUnderTest(), new RepositoryUnderTest()]
    own.commit({ 'a.txt': 'mine' })
    other.commit({ 'a.txt': 'other' })
    const of = (name: string) => path.join(other.folder, '.git', name)
    const env = { ...own.env, GIT_DIR: of(''), GIT_INDEX_FILE: of('index'), GIT_WORK_TREE: other.folder }
    expect((await own.base(own.folder, { env }))!.sha).toBe(own.git('rev-parse', 'HEAD'))
  })

  it('without a commit yet is what is staged, on a branch that is to be', async () => {
    const own = new RepositoryUnderTest()
    own.write({ 'a.txt': 'staged', 'b.txt': 'not' })
    own.git('add', 'a.txt')
    const base = (await own.base())!
    expect(base).toMatchObject({ head: null, branch: 'main', index: base.sha })
    expect(own.standing(own.restored(base))).toEqual(own.standing())
    own.git('rm', '--quiet', '--cached', 'a.txt')
    expect(await own.base()).toMatchObject({ head: null })
  })

  it('stands where a detached HEAD stands', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': '1' }, 'first')
    own.commit({ 'a.txt': '2' }, 'second')
    own.git('checkout', '--quiet', 'HEAD~1')
    const base = (await own.base())!
    expect(base).toMatchObject({ branch: null, sha: own.git('rev-parse', 'HEAD') })
    expect(own.standing(own.restored(base))).toEqual(own.standing())
  })

  it('sends a shallow clone as it is, with its upstream and without the credentials of that', async () => {
    const far = new RepositoryUnderTest()
    for (const nth of [1, 2, 3, 4]) far.commit({ 'a.txt': `${nth}` }, `commit ${nth}`)
    const own = new RepositoryUnderTest()
    const folder = path.join(own.home, 'clone')
    own.gitIn(own.home, 'clone', '--quiet', '--depth=2', `file://${far.folder}`, folder)
    own.gitIn(folder, 'remote', 'set-url', 'origin', 'https://ada:s3cret@example.org/a.git')
    const base = (await own.base(folder))!
    expect(base).toMatchObject({
      shallow: [own.gitIn(folder, 'rev-parse', 'HEAD~1')],
      upstream: 'refs/remotes/origin/main',
      remotes: [{ name: 'origin', url: 'https://example.org/a.git' }],
      user: { name: 'Ada', email: 'ada@example.org' },
    })
    const restored = own.restored(base, folder)
    expect(own.standing(restored)).toEqual(own.standing(folder))
    expect(own.gitIn(restored, 'rev-parse', 'origin/main')).toBe(base.sha)
  })

  it('can be had of a clone that leaves contents with its remote', async () => {
    const far = new RepositoryUnderTest()
    far.git('config', 'uploadpack.allowFilter', 'true')
    for (const nth of [1, 2, 3]) far.commit({ 'a.txt': `${nth}` }, `commit ${nth}`)
    const own = new RepositoryUnderTest()
    const folder = path.join(own.home, 'clone')
    own.gitIn(own.home, 'clone', '--quiet', '--filter=blob:none', `file://${far.folder}`, folder)
    rmSync(far.folder, { recursive: true })
    const base = (await own.base(folder))!
    expect(base.warnings).toEqual([expect.stringMatching(/only the newest commit goes along/)])
    expect(own.standing(own.restored(base, folder)).status).toBe(own.standing(folder).status)
  })

  it('is cut short where the history is long, and says so', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': '1' }, 'first')
    own.git('tag', 'old')
    own.commit({ 'a.txt': '2' }, 'second')
    const base = (await own.base(own.folder, { mostBytes: 1 }))!
    expect(base).toMatchObject({ shallow: [base.sha], warnings: [expect.stringMatching(/newest commit/)] })
    const restored = own.restored(base)
    expect(own.standing(restored)).toEqual({
      status: own.standing().status,
      log: own.git('log', '-1', '--format=%H %s'),
    })
    expect(own.gitIn(restored, 'tag')).toBe('')
  })

  it('is made of a linked work tree as of any other', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': '1' })
    const folder = path.join(own.home, 'second')
    own.git('worktree', 'add', '--quiet', '-b', 'second', folder)
    own.write({ 'b.txt': 'staged' }, folder)
    own.gitIn(folder, 'add', '--all')
    const base = (await own.base(folder))!
    expect(base.branch).toBe('second')
    expect(own.standing(own.restored(base, folder))).toEqual(own.standing(folder))
  })

  it('names submodules, whose histories stay here, and merges that are not done', async () => {
    const [own, sub] = [new RepositoryUnderTest(), new RepositoryUnderTest()]
    sub.commit({ 's.txt': 's' })
    own.commit({ 'a.txt': '1' })
    own.git('submodule', '--quiet', 'add', sub.folder, 'sub')
    own.git('commit', '--quiet', '--message', 'with a submodule')
    own.git('switch', '--quiet', '--create', 'other')
    own.commit({ 'a.txt': 'theirs' })
    own.git('switch', '--quiet', 'main')
    own.commit({ 'a.txt': 'ours' })
    expect(() => own.git('merge', 'other')).toThrow(/./)
    const base = (await own.base())!
    expect(base.warnings).toEqual([
      expect.stringMatching(/history: sub\./),
      expect.stringMatching(/merge.*a\.txt/),
    ])
    expect(own.gitIn(own.restored(base), 'diff', '--cached', '--stat')).toBe('')
  })

  it('of a folder without git, or deep in a repository, are its files alone', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'deep/a.txt': '1' })
    expect(await own.base(own.home)).toBeNull()
    expect(await own.base(path.join(own.folder, 'deep'))).toBeNull()
  })

  it('of a repository that a runner could not take are its files alone, which is said', async () => {
    const own = new RepositoryUnderTest()
    rmSync(path.join(own.folder, '.git'), { recursive: true })
    own.git('init', '--quiet', '--object-format=sha256')
    const { signal } = new AbortController()
    expect(await makeBase(own.folder, { env: own.env, scratch: own.home, signal })).toEqual({
      base: null,
      warnings: [expect.stringMatching(/history is not sent.*sha256/)],
    })
  })

  it('fails with what to do about it where git does not trust the folder, or cannot read it, or is not there', async () => {
    const own = new RepositoryUnderTest()
    own.commit({ 'a.txt': '1' })
    const untrusted = { ...own.env, PATH: `${own.home}/bin:${own.env.PATH}` }
    mkdirSync(path.join(own.home, 'bin'))
    // Only another user could own a folder of another user.
    writeFileSync(
      path.join(own.home, 'bin/git'),
      '#!/bin/sh\necho "fatal: detected dubious ownership in repository at \'$PWD\'" >&2\nexit 128\n',
    )
    chmodSync(path.join(own.home, 'bin/git'), 0o755)
    await expect(own.base(own.folder, { env: untrusted })).rejects.toMatchObject({
      message: expect.stringMatching(/does not trust/),
      nextStep: expect.stringContaining(`safe.directory ${own.folder}`),
    })
    await expect(own.base(own.folder, { env: { PATH: '/nowhere' } })).rejects.toThrow(/git is not installed/)
    rmSync(path.join(own.folder, '.git/HEAD'))
    await expect(own.base()).rejects.toThrow(/cannot read/)
  })
})
