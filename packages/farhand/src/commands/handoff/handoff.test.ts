import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'
import { scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { newSeed } from '@farhand/testkit/seeded'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { git, HandoffUnderTest } from './handoff-under-test.ts'

const commits = 'run `git -c user.name=A -c user.email=a@b commit --quiet --allow-empty --message theirs`'
const soon = (holds: () => unknown) => vi.waitFor(holds, { timeout: 60_000, interval: 50 })

/** Where it goes, and the step of that at which the command is killed. */
type Kill = readonly [where: 'here' | 'cloud', step: string | null]
type Way = readonly [there: Kill, back: Kill]
const ways: readonly [Way, ...Way[]] = [
  [
    ['here', 'rest'],
    ['cloud', 'rest'],
  ],
  [
    ['here', 'files'],
    ['cloud', 'repository'],
  ],
  [
    ['here', 'begin'],
    ['cloud', 'link'],
  ],
  [
    ['here', null],
    ['cloud', 'sandbox'],
  ],
]
// All of them take a minute, so it is one or the other.
const seed = newSeed()
const dice = new Dice(seed)
describe('W46 a run that is handed over', { timeout: 300_000 }, () => {
  it('is the same conversation here and there and here again, with what was committed there and changed here', async () => {
    const run = await HandoffUnderTest.begin('remember the port is 8080')
    const { folder } = run.test
    await run.says(commits)
    await run.says('write b.txt with "from there"')
    await soon(async () => expect(await run.text('b.txt')).toBe('from there'))
    const [head, index] = [git(folder, 'rev-parse', 'HEAD'), git(folder, 'ls-files', '--stage')]
    await writeFile(path.join(folder, 'a.txt'), 'dirty')

    expect(await run.to('here')).toEqual(['rest', 'files', 'begin', 'commits', 'handed-over'])
    expect(await run.where()).toMatch(`rehearsal in ${folder}; runner: process`)
    expect(await run.says('recall the port')).toContain('the port is 8080')
    expect(await run.says('remember the host is plum')).toContain('the host is plum')
    await run.says('write c.txt with "from here"')
    expect([await run.text('a.txt'), await run.text('c.txt')]).toEqual(['dirty', 'from here'])
    expect([git(folder, 'rev-parse', 'HEAD'), git(folder, 'ls-files', '--stage')]).toEqual([head, index])

    expect(await run.to('cloud')).toEqual(['rest', 'repository', 'link', 'sandbox', 'handed-over'])
    expect(await run.where()).toMatch(`${folder} is kept in step with it`)
    expect(await run.says('recall the host')).toContain('the host is plum')
    await run.says('run `(cat a.txt c.txt; git log --format=%s) > seen.txt`')
    await soon(async () => expect(await run.text('seen.txt')).toBe('dirtyfrom heretheirs\nfirst\n'))
    expect(await run.to('cloud')).toEqual(['sandbox', 'handed-over'])
    // Said on a machine that has nothing of it, it is no reason to send the current folder.
    expect(await run.toCloudElsewhere()).toEqual(['sandbox', 'handed-over'])
    // Old files in a folder that it has never met do not undo what it has done: the user has to say what counts.
    const other = await temporaryFolder()
    await writeFile(path.join(other, 'a.txt'), 'old')
    const refused = (await run.start('here', '--folder', other).all()).lines.map((line) => JSON.parse(line))
    expect(refused.at(-1)).toMatchObject({ event: 'error', nextStep: expect.stringContaining('--theirs') })
    expect(await readdir(other)).toEqual(['a.txt'])
    await run.says('run `cp a.txt still.txt`')
    await soon(async () => expect(await run.text('still.txt')).toBe('dirty'))

    expect(await run.to('here')).toEqual(['rest', 'files', 'begin', 'commits', 'handed-over'])
    expect(await run.says('recall the port. recall the host')).toMatch(/8080[\s\S]*plum/)
    expect(await run.to('here')).toEqual(['handed-over'])
    // It gets no sandbox: then it is where it was.
    const sandboxes = path.join(run.test.data, 'sandboxes')
    await rm(sandboxes, { recursive: true })
    await writeFile(sandboxes, 'in the way')
    await expect(run.to('cloud')).rejects.toThrow(/failed 3 times/)
    expect(await run.where()).toMatch(`rehearsal in ${folder}; runner: process`)
    expect(await run.says('recall the port')).toContain('8080')
    // No agent was briefed with what it knew itself.
    expect(await run.begun()).not.toContain('briefed')
  })

  it('goes on with a model that gets the whole conversation, in either place', async () => {
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    vi.stubEnv('ANTHROPIC_BASE_URL', llm.url)
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-no-user')
    onTestFinished(() => void vi.unstubAllEnvs())
    const run = await HandoffUnderTest.begin('The word is plum.', 'builtin')
    const heard = () => JSON.stringify(llm.requests.at(-1)?.body)
    for (const [nth, where] of (['here', 'cloud', 'here'] as const).entries()) {
      await run.to(where)
      expect(await run.says(`And number ${nth}?`)).toContain(`You said: And number ${nth}?`)
      expect(heard()).toContain('The word is plum.')
      if (nth > 0) expect(heard()).toContain(`And number ${nth - 1}?`)
    }
    expect(await run.begun()).not.toContain('briefed')
  })

  it(`is where it was or where it shall be, if any process is killed at any step, and each message is worked on once (seed ${seed})`, async () => {
    const run = await HandoffUnderTest.begin('write n0.txt with "x"')
    const kills = inject('long') ? ways.flat() : [...dice.pick(ways)]
    for (const [nth, [where, step]] of kills.entries()) {
      if (step) expect(await run.to(where, step)).toContain(step)
      await run.test.here('send', run.run, `write n${nth + 1}.txt with "x"`)
      expect((await run.to(where)).at(-1)).toBe('handed-over')
    }
    const idsOf = (events: SeenEvent[], method: string) =>
      events.filter(({ notification }) => notification.method === `_posthog/${method}`)
    await soon(async () => {
      const events = await run.events()
      const ended = idsOf(events, 'turn_complete').map(({ notification }) => notification.params?.messageId)
      expect(ended.sort()).toEqual(
        idsOf(events, 'user_message')
          .map(({ id }) => id)
          .sort(),
      )
    })
    await soon(async () => expect(await run.text(`n${kills.length}.txt`)).toBe('x'))
  })
})
