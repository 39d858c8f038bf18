import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext, vi } from 'vitest'
import { farhandBin } from '../../packages/farhand/src/farhand-under-test.ts'
import {
  type AgentUnderTest,
  agentsUnderTest,
} from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { userUnderTest } from '../../packages/testkit/src/real-agents/user-under-test.ts'
import { type ScriptedLlm, scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'

type Line = {
  event?: string
  run?: string
  notification?: { method: string; params?: Record<string, unknown> }
}

type Question = { question: string; options: { name: string }[] }

const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))
const canIsolate = existsSync('/usr/bin/bwrap')

/** A user with an empty home who has installed one agent, and a project in git. */
class User {
  readonly home = mkdtempSync(path.join(tmpdir(), 'farhand-user-'))
  readonly project = path.join(this.home, 'project')
  readonly #env: Record<string, string>

  constructor(agent: AgentUnderTest, llmUrl: string) {
    const state = path.join(this.home, '.local', 'state', 'farhand')
    const { env, bin } = userUnderTest(agent, { home: this.home, state, llmUrl })
    this.#env = { ...env, HOME: this.home, PATH: `${bin}:${process.env.PATH ?? ''}`, LANG: 'C.UTF-8' }
    mkdirSync(this.project)
    execFileSync('git', ['init', '-q', this.project])
  }

  /** Runs the command to its end; `heard` is told every line of JSON that it prints. */
  async farhand(args: readonly string[], heard: (line: Line) => void = () => {}): Promise<string> {
    const child = spawn(process.execPath, [farhandBin, ...args], {
      cwd: this.project,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const lines = createInterface({ input: child.stdout })
    const ended = new Promise((resolve) => child.once('close', resolve))
    for await (const line of lines) {
      said += `${line}\n`
      if (line.startsWith('{')) heard(JSON.parse(line) as Line)
    }
    await ended
    return said
  }

  text(name: string): string | null {
    const file = path.join(this.project, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }

  async leave(): Promise<void> {
    await this.farhand(['hub', 'stop'])
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 })
  }
}

describe.each(wanted.map((agent) => [agent.id, agent] as const))('%s, as it is shipped', (id, agent) => {
  let llm: ScriptedLlm
  let user: User | null = null

  beforeAll(async () => {
    llm = await scriptedLlm()
    if (isInstalled(agent)) user = new User(agent, llm.url)
  })

  afterAll(async () => {
    await user?.leave()
    await llm.close()
  })

  describe.each([
    ['in a sandbox', [], '/workspace'],
    ['here', ['--here'], null],
  ] as const)('%s', { timeout: 300_000 }, (_, words, root) => {
    const name = (what: string) => `${root === null ? 'here' : 'sandbox'}-${what}.txt`
    /** As the model calls a file: some agents want the whole path. */
    const place = (what: string) => path.join(root ?? user!.project, name(what))

    function ready({ skip }: TestContext): User {
      if (!user) return skip(`${id} could not be installed`)
      if (root !== null && !canIsolate) return skip('bubblewrap is not installed')
      return user
    }

    const run = (policy: string, prompt: string, heard?: (line: Line) => void) =>
      user!.farhand(['run', '--agent', id, ...words, '--policy', policy, '--json', prompt], heard)

    it('says hello, writes a file and runs a command, and both come to the project', async (context) => {
      const { text } = ready(context)
      const said = await run(
        'allow-all',
        `say: good morning\nwrite ${place('written')}: by the agent\nrun: expr 6 '*' 7 > ${name('number')}`,
      )
      await vi.waitFor(() => expect(text.call(user, name('written')), said).toBe('by the agent\n'), {
        timeout: 20_000,
      })
      expect(text.call(user, name('number'))).toBe('42\n')
    })

    it('changes nothing while the policy denies, whatever its own settings are', async (context) => {
      const { text } = ready(context)
      const said = await run('deny', `write ${place('denied')}: by the agent`)
      expect(said).toContain('turn_complete')
      await run('deny', `run: touch ${name('touched')}`)
      expect([text.call(user, name('denied')), text.call(user, name('touched'))]).toEqual([null, null])
    })

    it('tells why its model refuses', async (context) => {
      ready(context)
      const why = agent.hidesErrors ? 'Its model may have failed' : 'refused with 400 as scripted'
      expect((await run('allow-all', 'fail with 400')).replaceAll('\\', '')).toContain(why)
    })

    it('ends its turn when that is cancelled', async (context) => {
      const { farhand } = ready(context)
      let cancelled: Promise<string> | null = null
      const ends: unknown[] = []
      await run('allow-all', 'stream slowly', ({ notification }) => {
        const { method, params } = notification ?? {}
        if (method === 'agent_message_chunk' && String(params?.text).includes('word'))
          cancelled ??= farhand.call(user, ['cancel'])
        if (method === '_posthog/turn_complete') ends.push(params?.stopReason)
      })
      expect(await cancelled).not.toBeNull()
      expect(ends).toEqual(['cancelled'])
    })

    if (agent.canAsk)
      it('asks what its model wants to know, with its choices, and is given the answer', async (context) => {
        const { farhand } = ready(context)
        let answered: Promise<string> | null = null
        let open = ''
        const questions: unknown[] = []
        let said = ''
        await run('ask', 'ask me', ({ event, run: id = '', notification }) => {
          if (event === 'run') open = id
          if (notification?.method === 'agent_message_chunk') said += notification.params?.text
          if (notification?.method !== '_posthog/agent_question') return
          const { question, options } = notification.params as Question
          questions.push([question, ...options.map((option) => option.name)])
          answered ??= farhand.call(user, ['answer', open, 'right'])
        })
        await answered
        // Some offer to answer something else besides.
        expect(questions[0]).toEqual(
          expect.arrayContaining([expect.stringContaining('Left or right?'), 'left', 'right']),
        )
        expect(said).toMatch(/The tool said: [\s\S]*right/)
      })
  })
})
