import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { ownEnv } from '../../farhand-under-test.ts'
import { RunUnderTest } from '../run/run-under-test.ts'

/** A folder in which an agent is at work for as long as the test takes. */
async function besideAnother({ isRepository }: { isRepository: boolean }) {
  const run = await RunUnderTest.begin()
  const folder = realpathSync(run.folder)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.test', ...words], {
      cwd: folder,
      env: { ...ownEnv(), GIT_CONFIG_GLOBAL: '/dev/null' },
      encoding: 'utf8',
    })
  writeFileSync(path.join(folder, 'a.txt'), 'one')
  if (isRepository) {
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
  }
  const first = await run.run('think for 500 seconds', '--detach').all()
  expect(first.code, first.errors).toBe(0)
  return { run, folder, git, first: first.lines.at(-1)!.slice(0, 12) }
}

describe('a second run in a folder', { timeout: 120_000 }, () => {
  it('works in a worktree of its own, which stays while files in it are not committed', async () => {
    const { run, folder, git, first } = await besideAnother({ isRepository: true })
    writeFileSync(path.join(folder, 'a.txt'), 'not committed')
    const { code, errors } = await run.run('read a.txt. write b.txt with "b"').all()
    expect(code, errors).toBe(0)
    const root = `${folder}.worktrees/read-a-txt-write-b`
    expect(errors).toContain(
      `attach ${first}\` joins it).\nThis run works beside it, in a git worktree of its own:`,
    )
    expect(errors).toContain(`${root}, on the branch farhand/read-a-txt-write-b, from `)
    expect(errors).toContain(`1 uncommitted change in ${folder} is not in it.`)
    expect(errors).toContain(`Its worktree stays: ${root} (not committed: b.txt).`)
    expect(errors).toContain(` worktree rm ${root} --discard\` removes it with them.`)
    expect([existsSync(path.join(folder, 'b.txt')), readFileSync(path.join(root, 'a.txt'), 'utf8')]).toEqual([
      false,
      'one',
    ])
    const [listed] = await run.here('ls', '--status', 'closed', '--json')
    expect(JSON.parse(listed!).projectName).toBe(path.basename(folder))
    const remove = (...words: string[]) =>
      runHere(['worktree', 'rm', root, '--state', run.state, ...words], { env: ownEnv() })
    await expect(remove()).rejects.toMatchObject({ exit: 'mustAsk' })
    await remove('--discard')
    expect([existsSync(`${folder}.worktrees`), git('branch').trim()]).toEqual([false, '* main'])
  })

  it('leaves no worktree behind when it is closed and nothing is unsaved', async () => {
    const { run, folder, git } = await besideAnother({ isRepository: true })
    const second = await run.run('say hello', '--detach').all()
    expect(second.code, second.errors).toBe(0)
    expect(existsSync(`${folder}.worktrees/say-hello`)).toBe(true)
    const [closed] = await run.here('close', second.lines.at(-1)!, '--json')
    expect(JSON.parse(closed!)).toMatchObject({ worktree: { removed: true, branchStays: false } })
    expect([existsSync(`${folder}.worktrees`), git('branch').trim()]).toEqual([false, '* main'])
  })

  it('is refused where there is no repository, or no worktree is wanted, and is told how to go on', async () => {
    const plain = await besideAnother({ isRepository: false })
    const refused = await plain.run.run('say hello').all()
    expect(refused.code).not.toBe(0)
    expect(refused.errors).toContain(`${plain.folder} is not in a git repository.`)
    expect(refused.errors).toMatch(
      /attach run_\w+` joins that.* In a git repository a second run gets a worktree/,
    )
    const { run, folder } = await besideAnother({ isRepository: true })
    const unwanted = await run.run('say hello', '--no-worktree').all()
    expect(unwanted.errors).toContain('is being kept in sync already')
    expect(existsSync(`${folder}.worktrees`)).toBe(false)
  })
})
