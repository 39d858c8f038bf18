import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest'
import { hasTmux } from '../../packages/farhand/src/terminal/terminal-under-test.ts'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'
import { cleanPlace, installPacked } from '../pack/install-packed.ts'
import { packFolder } from '../pack/pack-folder.mjs'
import { stageFarhand } from '../pack/stage-farhand.mjs'
import { NewUser } from './new-user.ts'

const wanted = agentsUnderTest.filter(
  ({ id }) => ['opencode', 'claude'].includes(id) && inject('agents').includes(id),
)

const files = { 'stats.py': 'def mean(numbers):\n    return sum(numbers) / 2\n', 'README.md': '# Stats\n' }
const soon = (holds: () => void) => vi.waitFor(holds, { timeout: 60_000, interval: 50 })

/** All that is in a folder and that git does not ignore, in one line. */
const sum = 'git ls-files -co --exclude-standard | LC_ALL=C sort | xargs cat | sha256sum'

const place = mkdtempSync(path.join(tmpdir(), 'farhand-journey-'))
const somewhere = cleanPlace(place)
const { command, env } = somewhere
let notInstalled: string | null = null

beforeAll(async () => {
  const { file } = await packFolder(stageFarhand, place)
  notInstalled = hasTmux ? await installPacked(file, somewhere) : 'tmux is not installed'
})

afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }))

it.for(wanted)(
  '$id works in a sandbox, on this machine and in a sandbox again, for a user who has just installed the command',
  { timeout: 300_000 },
  async (agent, { skip }) => {
    if (!isInstalled(agent)) return skip(`${agent.id} could not be installed`)
    if (notInstalled !== null) return skip(notInstalled)
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const home = path.join(place, agent.id)
    mkdirSync(home)
    const ada = new NewUser(agent, files, { command, path: env.PATH, home, llmUrl: llm.url })
    const { folder, remote, git } = ada.project
    let isThere = true
    onTestFinished(() => void (isThere && ada.leaves()))
    const sameOnBothSides = async () => {
      const here = execFileSync('bash', ['-c', sum], { cwd: folder, encoding: 'utf8' }).trim()
      expect(await ada.hasDone(`run: ${sum}`)).toBe(here)
    }

    await ada.types(`farhand run --agent ${agent.id} 'The colour is green.'`, /You said: The colour is green/)
    await ada.isAsked('write notes.md: from the agent')
    // The user who is asked sees what it is about.
    expect(ada.screen).toMatch(/^\? \w+ .*notes\.md[\s\S]*^ +1 \+ from the agent$/m)
    appendFileSync(path.join(folder, 'README.md'), 'Means of numbers.\n')
    ada.closesTheWindow()

    await ada.isAsked('farhand attach')
    await ada.allows()
    await soon(() => expect(ada.text('notes.md')).toBe('from the agent\n'))
    expect(await ada.hasDone('run: until grep Means README.md; do sleep 0.1; done')).toBe('Means of numbers.')
    await ada.hasDone("run: sed -i s/2/3/ stats.py && git commit -qam 'Divide by three'")
    await soon(() => expect(ada.text('stats.py')).toContain('/ 3'))
    await sameOnBothSides()
    await ada.runs('/detach')
    const head = git('rev-parse', 'HEAD')

    await ada.runs('farhand handoff --to here')
    expect(ada.screen).toContain('with your next message it is told here')
    await ada.types('farhand attach', new RegExp(`${agent.id} works in ${folder}[\\s\\S]*Type a message`))
    await ada.types('recall: the colour', /green/)
    await ada.types('The shape is round.', /You said: The shape is round/)
    expect(await ada.hasDone('run: pwd')).toBe(folder)
    await ada.hasDone('write here.md: from here')
    expect(ada.text('here.md')).toBe('from here\n')
    await ada.runs('/detach')

    await ada.runs('farhand handoff --to cloud')
    await ada.types('farhand attach', /Type a message/)
    await ada.types('recall: the shape', /round/)
    await ada.types('recall: the colour', /green/)
    expect(await ada.hasDone('run: pwd')).toBe('/workspace')
    await sameOnBothSides()
    await ada.runs('/detach')
    expect(ada.begun()).toEqual(['new', 'briefed', 'resumed'])
    expect(git('rev-parse', 'HEAD')).toBe(head)

    await ada.types('farhand pr --title "Divide by three"', /\[Y\/n\]/)
    await ada.runs('y')
    const branch = execFileSync('git', ['for-each-ref', '--format=%(refname)', 'refs/heads/farhand'], {
      cwd: remote,
      encoding: 'utf8',
    }).trim()
    const pushed = (name: string) =>
      execFileSync('git', ['show', `${branch}:${name}`], { cwd: remote, encoding: 'utf8' })
    expect(['stats.py', 'notes.md', 'here.md', 'README.md'].map(pushed)).toEqual(
      ['stats.py', 'notes.md', 'here.md', 'README.md'].map((name) => ada.text(name)),
    )

    await ada.types('farhand attach', /Type a message/)
    const before = ada.text('stats.py')
    await ada.hasDone('run: echo broken > stats.py')
    await soon(() => expect(ada.text('stats.py')).toBe('broken\n'))
    await ada.runs('/detach')
    await ada.runs('farhand undo')
    expect(ada.text('stats.py')).toBe(before)
    await ada.types('farhand attach', /Type a message/)
    await sameOnBothSides()
    await ada.runs('/detach')
    await ada.runs('farhand close')
    isThere = false
    ada.leaves()
    await soon(() => expect(ada.processes()).toEqual([]))
  },
)
