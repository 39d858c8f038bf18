import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { closeRun } from '@farhand/client/resources/resources'
import { eventsOf } from '@farhand/runner/checkpoints/place-under-test'
import { hubForTests } from '@farhand/sync/hub/run-under-test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FinishUnderTest } from '../commands/finish/finish-under-test.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

const created = async ({ on }: FinishUnderTest) =>
  (await eventsOf(on.run)).flatMap(({ notification: { method, params } }) =>
    method === '_posthog/pr_created' ? [params] : [],
  )

describe('what a run has done', { timeout: 300_000 }, () => {
  it('is pushed as a branch that grows, with uncommitted files, and nothing here moves', async () => {
    const test = await FinishUnderTest.begin(hub.hub, (laptop) => {
      laptop.git('config', 'core.autocrlf', 'input')
      // Committed all the same: a run never hears of it, and it must not be taken for deleted.
      laptop.write({ '.gitignore': 'built\n', built: 'b\n', 'gone.txt': 'x\n' })
      laptop.git('add', '--all', '--force')
      laptop.git('commit', '--quiet', '--message', 'second')
    })
    const { laptop, place } = test.on
    place.write('a.txt', 'two\n')
    place.git('commit', '--quiet', '--message', 'fix it', 'a.txt')
    place.write('new/b.txt', 'b\r\n', 0o755)
    rmSync(path.join(place.root, 'gone.txt'))
    await place.checkpoint()
    // After the checkpoint: only the log has it.
    place.write('late.txt', 'late\n')
    await place.settled()
    const before = test.on.untouched()

    const planned = await test.call(['pr', '--dry-run', '--title', 'Fix the date'])
    expect(planned.out).toContain('farhand/fix-the-date at origin would have:\n  fix it\n')
    expect(() => test.log('farhand/fix-the-date')).toThrow()

    const first = await test.json('pr', '--title', 'Fix the date')
    expect(first).toMatchObject({
      pushed: true,
      opened: false,
      commits: ['fix it'],
      branch: 'farhand/fix-the-date',
    })
    expect(first.uncommitted).toEqual(['gone.txt', 'late.txt', 'new/b.txt'])
    expect(test.log('farhand/fix-the-date')).toEqual(['Fix the date', 'fix it', 'second', 'first'])
    const show = (what: string) => laptop.gitIn(test.remote, 'show', what)
    expect(show('farhand/fix-the-date:new/b.txt')).toBe('b')
    expect(laptop.gitIn(test.remote, 'ls-tree', 'farhand/fix-the-date:new')).toContain('100755')
    expect(show('farhand/fix-the-date:built')).toBe('b')
    expect(show('farhand/fix-the-date')).toContain(`Farhand-Run: ${test.on.run.at.run}`)
    // Git itself takes note of what it has pushed where.
    const noted = Object.entries(test.on.untouched()).filter(([name]) => !name.includes('origin/farhand/'))
    expect(Object.fromEntries(noted)).toEqual(before)

    // The same again is nothing new, and is in the log once.
    expect(await test.json('pr', '--title', 'Fix the date')).toMatchObject({ pushed: false, sha: first.sha })
    expect(await created(test)).toEqual([
      { prUrl: `file://${test.remote}`, branch: 'farhand/fix-the-date', opened: false },
    ])

    // More of both: the branch goes on from what was pushed.
    place.write('c.txt', 'c\n')
    place.git('add', 'c.txt')
    place.git('commit', '--quiet', '--message', 'and more')
    await place.checkpoint()
    await test.json('pr', '--title', 'Fix the date')
    expect(test.log('farhand/fix-the-date')).toEqual(
      expect.arrayContaining(['and more', 'Fix the date', 'fix it']),
    )
    expect(laptop.gitIn(test.remote, 'merge-base', '--is-ancestor', first.sha, 'farhand/fix-the-date')).toBe(
      '',
    )
    expect(show('farhand/fix-the-date:c.txt')).toBe('c')

    // Anew, if that is asked for.
    await test.json('pr', '--title', 'Fix the date', '--force-with-lease', '--no-uncommitted')
    expect(test.log('farhand/fix-the-date')[0]).toBe('and more')

    // A user goes on from it: that branch is theirs, and another one is ours.
    const clone = path.join(laptop.home, 'clone')
    laptop.gitIn(laptop.home, 'clone', '--quiet', '--branch', 'farhand/fix-the-date', test.remote, clone)
    laptop.gitIn(clone, 'commit', '--quiet', '--allow-empty', '--message', 'reviewed')
    laptop.gitIn(clone, 'push', '--quiet')
    place.write('late.txt', 'later\n')
    await place.settled()
    const named = ['pr', '--branch', 'farhand/fix-the-date', '--force-with-lease']
    await expect(test.call(named)).rejects.toThrow('not of this run')
    const beside = await test.json('pr', '--title', 'Fix the date')
    expect(beside.branch).toBe(`farhand/fix-the-date-${test.on.run.at.run.slice(4, 12)}`)
    expect(test.log('farhand/fix-the-date')[0]).toBe('reviewed')
  })

  it('becomes a pull request where gh is there, once, and a page to open one where it is not', async () => {
    const test = await FinishUnderTest.begin(hub.hub)
    const { laptop, place } = test.on
    test.on.commit({ 'a.txt': 'two\n' }, 'fix it')
    place.write('b.txt', 'b\n')
    await place.checkpoint()
    // What goes to GitHub goes to the remote of this test.
    laptop.git('remote', 'set-url', 'origin', 'git@github.com:ada/tool.git')
    const said = path.join(laptop.home, 'gh.said')
    const real = laptop.gitIn(laptop.home, '--exec-path')
    test.program(
      'git',
      `for last; do :; done
case "$*" in
  *" push origin "*) exec '${real}/git' push '${test.remote}' "$last";;
  *" ls-remote --refs "*) exec '${real}/git' ls-remote --refs '${test.remote}' "$last";;
  *) exec '${real}/git' "$@";;
esac`,
    )
    const asked: string[] = []
    const ask = async (question: string) => {
      asked.push(question)
      return 'n'
    }
    const page = await test.call(['pr', '--base', 'main', '--branch', 'mine'], { ask, terminal: true })
    expect(asked).toEqual([expect.stringContaining('1 file of the run is in no commit (b.txt)')])
    expect(page.out).toContain('Pushed mine to origin: 1 commit of the run.')
    expect(page.out).toContain(
      'Open a pull request: https://github.com/ada/tool/compare/main...mine?expand=1',
    )

    test.program(
      'gh',
      `printf '%s\\n' "$*" >> '${said}'; cat >> '${said}'
[ -e '${said}.made' ] && { echo 'a pull request for branch "farhand/x" already exists:' >&2; echo 'https://github.com/ada/tool/pull/7' >&2; exit 1; }
touch '${said}.made'; echo https://github.com/ada/tool/pull/7`,
    )
    const words = ['pr', '--draft', '--title', 'A title', '--body', 'A body', '--base', 'main']
    expect(await test.json(...words)).toMatchObject({
      opened: true,
      prUrl: 'https://github.com/ada/tool/pull/7',
    })
    expect(readFileSync(said, 'utf8')).toBe(
      'pr create --head farhand/a-title --title A title --body-file - --draft --base main\nA body',
    )
    expect(await test.json(...words)).toMatchObject({ pushed: false, opened: true })
    expect((await created(test)).filter((one) => one?.opened)).toEqual([
      { prUrl: 'https://github.com/ada/tool/pull/7', branch: 'farhand/a-title', opened: true },
    ])
    test.program('gh', 'echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4')
    const unopened = await test.call(['pr', '--branch', 'again'])
    expect(unopened.out).toMatch(/gh opened no pull request: To get started.*\nOpen a pull request: https:/)

    // A user who is done with a run closes it first.
    await closeRun(test.on.run.hub, test.on.run.at)
    expect((await test.call(['pr', '--branch', 'late'])).notes).toBe('')
    expect((await created(test)).at(-1)).toMatchObject({ branch: 'late', opened: false })
  })

  it('is not what its agent makes it look like: secrets of old commits, signs for a terminal or a shell, hooks', async () => {
    const test = await FinishUnderTest.begin(hub.hub, (laptop) =>
      laptop.git('config', 'diff.noprefix', 'true'),
    )
    const { laptop, place } = test.on
    place.git('switch', '--quiet', '--create', 'a;touch$IFS;b')
    test.on.commit({ 'k.txt': `k = ghp_${'aZ3kQ9xW1mR7tB5vN2cJ8pL4sD6fG0hYiUoE'}\n` }, 'with a key')
    test.on.commit({ 'k.txt': 'none\n', 'e.txt': '\x1b]0;gotcha\x07\n' }, 'and without \x1b]0;gotcha\x07')
    await place.checkpoint()
    await expect(test.call(['pr'])).rejects.toMatchObject({
      exit: 'mustAsk',
      message: expect.stringContaining('k.txt (a GitHub token)'),
    })
    const [piped, seen] = [
      await test.call(['patch'], { isPiped: true }),
      await test.call(['patch'], { isPiped: false }),
    ]
    expect(piped.out).toContain('gotcha\x07')
    expect(seen.out).not.toMatch(/\p{Cc}(?<![\n\t])/u)
    const planned = await test.call(['pr', '--dry-run'])
    expect(planned.out).toContain('and without')
    expect(planned.out + planned.notes).not.toMatch(/\p{Cc}(?<!\n)/u)
    const listed = (await test.call(['commits'])).out
    expect(listed).toMatch(/git merge 'farhand\/\S+\/a;touch\$IFS;b'\n/)
    expect(listed).toMatch(/--take 'a;touch\$IFS;b'\s/)

    laptop.git('config', 'core.hooksPath', '.husky/_')
    test.on.commit({ '.husky/pre-push': 'touch ~/gotcha\n' }, 'a hook')
    await place.checkpoint()
    const asked: string[] = []
    const ask = async (question: string) => {
      asked.push(question)
      return /secret/.test(question) ? 'y' : ''
    }
    await expect(test.call(['pr'], { ask })).rejects.toMatchObject({
      exit: 'failed',
      message: expect.stringContaining('.husky/pre-push'),
    })
    // Before anything else: the remote is not even asked.
    expect(asked).toHaveLength(1)
    expect(laptop.gitIn(test.remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    expect(await test.json('pr', '--yes')).toMatchObject({ pushed: true })
  })

  it('is not taken where git would find a repository in it, nor pushed with settings that it has changed', async () => {
    const test = await FinishUnderTest.begin(hub.hub, (laptop) => {
      laptop.git('config', 'include.path', '../.gitconfig')
    })
    const { laptop, place } = test.on
    const before = laptop.git('rev-parse', 'main')
    const [HEAD, config] = ['ref: refs/heads/main\n', '[core]\n\tfsmonitor = touch ~/gotcha\n']
    const trap = { 'x/HEAD': HEAD, 'x/config': config, 'x/objects/a': '', 'x/refs/b': '' }
    test.on.commit({ ...trap, '.gitconfig': '[remote "origin"]\n\turl = ../elsewhere\n' }, 'a fixture')
    await place.checkpoint()
    await expect(test.call(['commits', '--take', 'main'])).rejects.toMatchObject({
      message: expect.stringContaining('would take for a repository: x'),
    })
    expect(laptop.git('rev-parse', 'main')).toBe(before)
    // As in a linked folder, which has it as soon as the agent has written it.
    laptop.write({ '.gitconfig': '[remote "origin"]\n\turl = ../elsewhere\n' })
    await expect(test.call(['pr'])).rejects.toMatchObject({
      exit: 'mustAsk',
      message: expect.stringContaining('settings that git reads here: .gitconfig'),
    })
  })

  it('is not pushed, and nothing is half done, where something is in the way', async () => {
    const test = await FinishUnderTest.begin(hub.hub)
    const { laptop, place } = test.on
    await expect(test.call(['pr'])).rejects.toThrow('Nothing to push')
    place.write('b.txt', 'b\n')
    await place.settled()
    place.write('.env', 'A=b\n')
    await place.settled()
    await expect(test.call(['pr'])).rejects.toMatchObject({
      exit: 'mustAsk',
      message: expect.stringContaining('.env'),
    })
    await expect(
      test.call(['pr'], { ask: async (asked) => (/secret/.test(asked) ? '' : 'y') }),
    ).rejects.toThrow('looks like secrets')
    rmSync(path.join(place.root, '.env'))
    await place.settled()
    await expect(test.call(['pr', '--remote', 'none'])).rejects.toMatchObject({ exit: 'usage' })
    await expect(test.call(['pr', '--branch', 'a..b'])).rejects.toMatchObject({ exit: 'usage' })
    test.program('pre-push', 'echo "not on a Friday" >&2; exit 1')
    laptop.git('config', 'core.hooksPath', path.join(laptop.home, 'bin'))
    await expect(test.call(['pr'])).rejects.toThrow('not on a Friday')
    laptop.git('config', '--unset', 'core.hooksPath')
    laptop.git('remote', 'set-url', 'origin', path.join(laptop.home, 'gone.git'))
    await expect(test.call(['pr'])).rejects.toThrow('cannot be reached')
    laptop.git('config', '--global', '--unset', 'user.email')
    laptop.git('config', '--global', 'user.useConfigOnly', 'true')
    laptop.git('remote', 'set-url', 'origin', test.remote)
    await expect(test.call(['pr'])).rejects.toThrow('who you are')
    laptop.git('remote', 'remove', 'origin')
    await expect(test.call(['pr'])).rejects.toThrow('no remote')
    const elsewhere = test.on.emptyFolder()
    await expect(test.call(['pr'], { cwd: elsewhere })).rejects.toThrow('not in a git repository')
    expect(test.on.names()).toEqual({ base: laptop.git('rev-parse', 'HEAD') })
    expect(laptop.gitIn(test.remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    // Nothing of it is left here either.
    expect(readdirSync(path.join(laptop.home, 'state'))).toEqual([])
  })
})

describe('a run', { timeout: 300_000 }, () => {
  it('is a patch that another clone takes: modes, renames, links and bytes, committed or not; or one for each commit', async () => {
    const long = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join('')
    const test = await FinishUnderTest.begin(hub.hub, (laptop) =>
      laptop.commit({ 'old name.txt': long, 'gone.txt': 'x\n' }, 'second'),
    )
    const { laptop, place } = test.on
    expect((await test.call(['patch'])).notes).toContain('Nothing has changed')
    place.git('mv', 'old name.txt', 'new ö.txt')
    test.on.commit({ 'a.txt': 'two\n' }, 'fix it')
    test.on.commit({ 'bytes.bin': 'a\0b\u0001' }, 'bytes')
    rmSync(path.join(place.root, 'gone.txt'))
    place.write('run.sh', '#!/bin/sh\n', 0o755)
    symlinkSync('a.txt', path.join(place.root, 'link'))
    await place.checkpoint()
    laptop.git('config', '--global', 'diff.noprefix', 'true')
    laptop.git('config', '--global', 'diff.external', 'false')

    const { out } = await test.call(['patch'])
    expect(out).toContain('rename from old name.txt')
    const whole = path.join(laptop.home, 'whole.patch')
    expect(await test.json('patch', '-o', whole)).toMatchObject({
      file: whole,
      bytes: Buffer.byteLength(out),
    })
    expect(readFileSync(whole, 'utf8')).toBe(out)
    const series = path.join(laptop.home, 'series.mbox')
    const said = await test.call(['patch', '--commits', '--output', series])
    expect(said.notes).toContain('The last patch has 3 files that were in no commit')
    const { link, ...files } = place.files()
    expect(link).toBe('link a.txt')
    for (const [words, name] of [
      [['apply', whole], 'applied'],
      [['am', '--quiet', series], 'committed'],
    ] as const) {
      const clone = path.join(laptop.home, name)
      laptop.gitIn(laptop.home, 'clone', '--quiet', laptop.folder, clone)
      laptop.gitIn(clone, ...words)
      laptop.gitIn(clone, 'add', '--all')
      const tree = laptop.gitIn(clone, 'write-tree')
      const listed = laptop.gitIn(clone, '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', tree)
      expect(listed.split('\n').sort()).toEqual([...Object.keys(files), 'link'].sort())
      expect(laptop.gitIn(clone, 'diff-tree', '--quiet', tree, test.on.names().checkpoint!)).toBe('')
    }
    expect(laptop.gitIn(path.join(laptop.home, 'committed'), 'log', '--format=%s', '-3').split('\n')).toEqual(
      [expect.stringMatching(/^What run_\w+ has done$/), 'bytes', 'fix it'],
    )
    const own = await test.json('patch', '--commits', '--no-uncommitted')
    expect(own.patch.match(/^Subject: .*$/gm)).toEqual([
      'Subject: [PATCH 1/2] fix it',
      'Subject: [PATCH 2/2] bytes',
    ])
    const nowhere = path.join(laptop.home, 'no/such.patch')
    await expect(test.call(['patch', '-o', nowhere])).rejects.toMatchObject({ exit: 'usage' })
  })
})

describe('commits of an agent', { timeout: 300_000 }, () => {
  it('are listed with how to have them, and a branch moves when its user says so and it only goes forward', async () => {
    const test = await FinishUnderTest.begin(hub.hub)
    const { laptop, place } = test.on
    expect((await test.call(['commits'])).out).toContain('has no commits here')
    const sha = test.on.commit({ 'a.txt': 'two\n', 'b.txt': 'b\n' }, 'fix it')
    place.git('switch', '--quiet', '--create', 'side')
    const side = test.on.commit({ 'c.txt': 'c\n' }, 'aside')
    await place.checkpoint()
    const { out } = await test.call(['commits'])
    const short = `farhand/${test.on.run.at.run.slice(0, 12)}`
    expect(out).toContain(`main  ${short}/main\n  ${sha.slice(0, 8)} fix it\n`)
    expect(out).toContain(`git merge ${short}/main`)
    expect(laptop.git('log', '--format=%s', `${short}/side`)).toBe('aside\nfix it\nfirst')
    expect(await test.json('commits')).toMatchObject({
      branches: [
        { branch: 'main', sha },
        { branch: 'side', sha: side, commits: [{ subject: 'aside' }, {}] },
      ],
    })

    // One that does not exist yet, and one that is checked out in a folder with the files of the commit.
    await test.json('commits', '--take', 'side')
    expect(laptop.git('rev-parse', 'side', 'HEAD')).toBe(`${side}\n${laptop.git('rev-parse', `${sha}~1`)}`)
    for (const name of ['a.txt', 'b.txt']) cpSync(path.join(place.root, name), path.join(laptop.folder, name))
    laptop.write({ 'mine.txt': 'mine\n' })
    expect((await test.call(['commits', '--take', 'main'])).out).toContain('Your main is now at')
    expect(laptop.git('status', '--short')).toBe('?? mine.txt')
    expect(laptop.git('rev-parse', 'HEAD')).toBe(sha)
    expect((await test.call(['commits', '--take', 'main'])).out).toContain('is already there')

    // Files that are as before follow; what is otherwise stays, and so does the branch.
    laptop.git('reset', '--quiet', '--hard', `${sha}~1`)
    // Hooks may lie where the agent had its hands on them.
    const ran = path.join(laptop.home, 'hooks-ran')
    for (const hook of ['post-merge', 'reference-transaction', 'post-index-change'])
      test.program(hook, `echo ${hook} >> '${ran}'`)
    laptop.git('config', 'core.hooksPath', path.join(laptop.home, 'bin'))
    await test.json('commits', '--take', 'main')
    expect(existsSync(ran)).toBe(false)
    laptop.git('config', '--unset', 'core.hooksPath')
    expect(laptop.git('show', ':a.txt')).toBe('two')
    laptop.git('reset', '--quiet', '--hard', `${sha}~1`)
    laptop.write({ 'a.txt': 'mine\n' })
    await expect(test.call(['commits', '--take', 'main'])).rejects.toThrow('match neither')
    laptop.git('add', 'a.txt')
    await expect(test.call(['commits', '--take', 'main'])).rejects.toThrow('staged')
    laptop.git('commit', '--quiet', '--message', 'mine')
    await expect(test.call(['commits', '--take', 'main'])).rejects.toThrow('cannot be fast-forwarded')
    await expect(test.call(['commits', '--take', 'none'])).rejects.toMatchObject({ exit: 'usage' })
    expect(laptop.git('log', '--format=%s', '-1')).toBe('mine')

    expect((await test.json('commits', '--drop')).dropped).toHaveLength(4)
    expect(test.on.names()).toEqual({})
  })
})
