import { execFileSync } from 'node:child_process'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { leftOutPaths } from '@farhand/device/first-look/user-rules'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CommandContext } from '../../context/command-context.ts'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { firstLook } from './first-look.ts'

const hub = 'http://hub.test'
let folder: string
let state: StateFolder

beforeEach(async () => {
  folder = await realpath(await temporaryFolder())
  state = new StateFolder(await temporaryFolder())
  await mkdir(path.join(folder, 'src'))
  await writeFile(path.join(folder, 'src/main.ts'), 'export const one = 1\n')
  await writeFile(path.join(folder, '.gitignore'), 'dist/\n*.log\n')
  await writeFile(path.join(folder, 'a.log'), 'x')
})

async function look(given: Partial<CommandContext> = {}, flags: Record<string, unknown> = {}, to = hub) {
  const context = testContext(given)
  await firstLook(folder, { state, hub: to, flags }, context)
  return context.ran()
}

/** A user at a terminal who says these, one after the other. */
function person(...answers: string[]) {
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answers.shift() ?? expect.fail(`no answer to: ${question}`)
  }
  return { ask, asked }
}

describe('a folder with nothing remarkable', () => {
  it('is sent without a question, and one line says how much', async () => {
    const { notes } = await look({ ask: person().ask })
    expect(notes).toBe('2 files, 33 bytes, go to http://hub.test (left out: 1 name that rules ignore)\n')
    expect((await look()).notes).toBe('')
    expect((await look({}, {}, 'http://other.test')).notes).toContain('go to http://other.test')
  })
})

describe('a folder with secrets', () => {
  beforeEach(() => writeFile(path.join(folder, '.env'), 'PORT=1\n'))

  it('is shown to the user, and sent without them after Enter', async () => {
    await look({ ask: person('').ask })
    expect(leftOutPaths(state, folder)).toEqual(['.env'])
  })

  it('is sent as a whole only after a', async () => {
    const { ask, asked } = person('y', 'a')
    const { notes } = await look({ ask })
    expect(notes).toContain('To be sent to http://hub.test: 3 files, 40 bytes')
    expect(notes).toContain('1 file may hold secrets:\n  .env  environment settings\n')
    const question = 'Enter or s sends all but that one, a sends everything, q stops: '
    expect(asked).toEqual([question, question])
    expect(leftOutPaths(state, folder)).toEqual([])
  })

  it('is sent without any of them, however many they are', async () => {
    await mkdir(path.join(folder, 'keys'))
    const names = Array.from({ length: 250 }, (_, n) => `keys/${n}.p12`)
    for (const name of names) await writeFile(path.join(folder, name), 'x')
    await look({}, { secrets: 'leave-out' })
    expect(leftOutPaths(state, folder)).toEqual(['.env', ...names].sort())
  })

  it('is sent without them after s, and that is remembered for the next hub', async () => {
    await look({ ask: person('what?', 's').ask })
    expect(leftOutPaths(state, folder)).toEqual(['.env'])
    expect((await look({ ask: person().ask }, {}, 'http://other.test')).notes).toContain('2 files')
    expect(leftOutPaths(state, folder)).toEqual(['.env'])
  })

  it('is not sent after q, and asked about again', async () => {
    await expect(look({ ask: person('q').ask })).rejects.toMatchObject({ exit: 'mustAsk' })
    await look({ ask: person('').ask })
  })

  it('is not sent after Ctrl-C either', async () => {
    const stop = new AbortController()
    const ask = async () => {
      stop.abort()
      throw stop.signal.reason
    }
    const given = { ask, stop: stop.signal }
    await expect(look(given)).rejects.toMatchObject({ exit: 'mustAsk', message: 'Nothing was sent.' })
  })

  it('is refused if there is no terminal to ask at, with the options that decide it', async () => {
    const refusal = { exit: 'mustAsk', nextStep: expect.stringContaining('--secrets leave-out') }
    await expect(look()).rejects.toMatchObject(refusal)
    await expect(look({ ask: person().ask }, { json: true })).rejects.toMatchObject(refusal)
    expect((await look({}, { secrets: 'leave-out' })).notes).toContain('Not sent, now and later: .env')
    expect(leftOutPaths(state, folder)).toEqual(['.env'])
  })

  it('says nothing to a program that has said what it wants: another line is its first', async () => {
    expect(await look({}, { secrets: 'send', json: true })).toEqual({ out: '', notes: '' })
  })

  it('holds nothing of a secret in what is remembered or said', async () => {
    const token = `ghp_${'aZ3kQ9xW1mR7tB5vN2cJ8pL4sD6fG0hYiUoE'}`
    await writeFile(path.join(folder, 'notes.txt'), `my token:\n${token}\n`)
    const { notes } = await look({ ask: person('s').ask })
    expect(notes).toContain('notes.txt:2  a GitHub token')
    const kept = await readFile(path.join(state.placeOf(folder), 'first-look.json'), 'utf8')
    expect(notes + kept).not.toContain(token)
  })
})

describe('commits that go along', () => {
  const token = `ghp_${'aZ3kQ9xW1mR7tB5vN2cJ8pL4sD6fG0hYiUoE'}`
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: folder, env: gitEnv })
  const gitEnv = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const commit = async (name: string, text: string | null) => {
    if (text === null) await rm(path.join(folder, name))
    else await writeFile(path.join(folder, name), text)
    git('add', '--all')
    git('commit', '--quiet', '--message', name)
  }
  const lookWithCommits = async (given: Partial<CommandContext> = {}, flags = {}) => {
    const context = testContext({ env: gitEnv, ...given })
    await firstLook(folder, { state, hub, flags, withCommits: true }, context)
    return context.ran().notes
  }

  it('are looked at too: a secret that was removed again is still sent, and the user should know', async () => {
    git('init', '--quiet')
    await commit('conf.yml', `token: ${token}\n`)
    await commit('conf.yml', null)
    const { ask, asked } = person('q')
    await expect(lookWithCommits({ ask })).rejects.toMatchObject({ exit: 'mustAsk' })
    expect(asked).toEqual(['a sends everything, Enter or q stops: '])
    const notes = await lookWithCommits({ ask: person('a').ask })
    expect(notes).toMatch(/conf\.yml:1 {2}a GitHub token; in an older commit, as [0-9a-f]{10}\n/)
    expect(notes).not.toContain(token)
    // Once is enough, until there are others.
    expect(await lookWithCommits({ ask: person().ask })).toBe('')
    await commit('.env', 'PORT=1\n')
    await commit('.env', null)
    expect(await lookWithCommits()).toMatch(
      /^Commits of this folder go to .*\n1 file may hold secrets:\n {2}\.env /,
    )
  })
})

it('a large file is looked at where it begins and ends', async () => {
  const token = `ghp_${'aZ3kQ9xW1mR7tB5vN2cJ8pL4sD6fG0hYiUoE'}`
  await writeFile(path.join(folder, 'dump.sql'), `${'-- nothing\n'.repeat(20_000)}key ${token}\n`)
  const { notes } = await look({ ask: person('').ask })
  expect(notes).toContain('dump.sql  a GitHub token\n')
})

it('--secrets takes one of two words', async () => {
  await expect(look({}, { secrets: 'maybe' })).rejects.toMatchObject({ exit: 'usage' })
})
