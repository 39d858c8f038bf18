import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext, vi } from 'vitest'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { type ScriptedLlm, scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'
import { type Line, User } from './user.ts'

type Question = { question: string; options: { name: string }[] }

const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))
const canIsolate = existsSync('/usr/bin/bwrap')

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
      const both = () => ['written', 'number'].map((what) => text.call(user, name(what)))
      await vi.waitFor(() => expect(both(), said).toEqual(['by the agent\n', '42\n']), { timeout: 60_000 })
    })

    it('changes nothing while the policy denies, even if its own settings allow it', async (context) => {
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
