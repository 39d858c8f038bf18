import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { endHolder } from '../../farhand-under-test.ts'
import type { Told } from '../link/link-under-test.ts'
import { logged, RunUnderTest } from './run-under-test.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd },
  })

/** A repository with something of everything: committed, changed, staged, deleted, untracked, ignored. */
async function makeRepository(folder: string): Promise<void> {
  const write = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), text)
    }
  }
  git(folder, 'init', '--quiet', '--initial-branch=main')
  await write({ '.gitignore': 'built/\n', 'a.txt': 'one', 'b.txt': 'one', 'gone.txt': 'x' })
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'first')
  git(folder, 'switch', '--quiet', '--create', 'topic')
  await write({ 'b.txt': 'staged', 'new.txt': 'staged' })
  git(folder, 'add', '--all')
  git(folder, 'rm', '--quiet', 'gone.txt')
  await write({
    'a.txt': 'dirty',
    'b.txt': 'staged, then dirty',
    'untracked.txt': 'u',
    'built/x': 'not synced',
  })
}

// What it finds is written only when all of it is found: the report must not be in it.
const report =
  'found=$(git status --short --branch; git log --format=%H; cat a.txt b.txt; ls); echo "$found" > report'
const shown = (folder: string) =>
  git(folder, 'status', '--short', '--branch') +
  git(folder, 'log', '--format=%H') +
  execFileSync('sh', ['-c', 'cat a.txt b.txt; ls | grep -v built'], { cwd: folder, encoding: 'utf8' })

const who = '-c user.name=agent -c user.email=agent@example.org'
const waitAndCommit = `run \`until grep here a.txt; do sleep 0.1; done; git ${who} commit -qm there a.txt\``

it('a repository goes to a sandbox as it stands, what is done there appears here, and nothing stays when it is closed', {
  timeout: 180_000,
}, async () => {
  const run = await RunUnderTest.begin()
  const { folder, state } = run
  const link = () => folderHolder(new StateFolder(state), folder)
  // It outlives the process that started it; also a test that has failed.
  onTestFinished(() => endHolder(link))
  await makeRepository(folder)
  const [before, index] = [shown(folder), await readFile(path.join(folder, '.git/index'))]
  const words = ['--sandbox', 'process', '--json', '--timings', '--detach']
  const begun = run.run(`run \`${report}\``, ...words)
  const { run: id } = (await begun.until((told) => told.event === 'run')) as Told & { run: string }
  onTestFinished(async () => void (await run.here('close', id)))
  const { code, errors } = await begun.all()
  expect([code, errors]).toMatchObject([0, expect.any(String)])

  const text = (name: string) => readFile(path.join(folder, name), 'utf8')
  await vi.waitFor(async () => expect(await text('report')).toContain('untracked.txt'), { timeout: 30_000 })
  expect(await text('report')).toBe(before)
  expect(await readFile(path.join(folder, '.git/index'))).toEqual(index)

  const status = (await run.here('status', id)).join('\n')
  expect(status).toMatch(`${folder} is kept in step with it (process ${link()})`)
  expect(status).toMatch('in a sandbox of')
  expect(status).toMatch('It has no isolation')

  // Joining it starts no runner here, and what is written here is there before it is asked for.
  await writeFile(path.join(folder, 'a.txt'), 'from here')
  const joined = run.call('run', '--run', id, waitAndCommit, '--json')
  await joined.until(logged('_posthog/turn_complete'))
  expect((await joined.all()).code).toBe(0)
  expect(readdirSync(path.join(state, 'runs', id))).toEqual(['run.json'])

  await run.here('close', id)
  await vi.waitFor(() => expect(link()).toBeNull(), { timeout: 30_000 })
  // What it has committed has come along, and stands beside what is here.
  expect(git(folder, 'log', '-1', '--format=%s', `farhand/${id.slice(0, 12)}/topic`).trim()).toBe('there')
  expect(git(folder, 'log', '-1', '--format=%s').trim()).toBe('first')
  expect(await readFile(path.join(folder, '.git/index'))).toEqual(index)
  expect((await run.here('status', id)).join('\n')).toMatch(`Its files are in ${folder}`)
})
