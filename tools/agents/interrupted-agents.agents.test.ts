import { existsSync } from 'node:fs'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext, vi } from 'vitest'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { type ScriptedLlm, scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'
import { agentAndRunner, agentProcesses } from './agent-processes.ts'
import { RunOfUser } from './run-of-user.ts'
import { User } from './user.ts'

const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))
const canIsolate = existsSync('/usr/bin/bwrap')
const canLook = existsSync('/proc/self/environ')

describe.each(wanted.map((agent) => [agent.id, agent] as const))('%s, as it is shipped', (id, agent) => {
  let llm: ScriptedLlm
  let user: User | null = null
  const runs = new Set<RunOfUser>()

  beforeAll(async () => {
    llm = await scriptedLlm()
    if (isInstalled(agent)) user = new User(agent, llm.url)
  })

  afterAll(async () => {
    for (const run of runs) await run.close()
    await user?.leave()
    await llm.close()
  })

  describe.each([
    ['in a sandbox', [], canIsolate],
    ['here', ['--here'], true],
  ] as const)('%s', { timeout: 300_000 }, (_, words, isPossible) => {
    let begun: Promise<RunOfUser> | null = null

    /** One run for all of them, as an agent takes its time to start. */
    async function ready({ skip }: TestContext): Promise<RunOfUser> {
      if (!user) return skip(`${id} could not be installed`)
      if (!canLook) return skip('only Linux tells which processes an agent has')
      if (!isPossible) return skip('bubblewrap is not installed')
      begun ??= RunOfUser.begin(user, id, words, 'The colour is green.')
      const run = await begun
      runs.add(run)
      return run
    }

    it('hears a message that comes while it is busy, when it is done with the one before', async (context) => {
      const run = await ready(context)
      const busy = await run.busy()
      const second = await run.sends('say: the second one')
      expect(run.acks(second)).toBe(0)
      busy.release()
      expect(await run.end(busy.message)).toMatchObject({ stopReason: 'end_turn', acks: 1 })
      const end = await run.end(second)
      expect(end).toMatchObject({ stopReason: 'end_turn', acks: 1 })
      expect(end.said).toContain('the second one')
    })

    it('works on while the hub is killed, and the next hub has all that it did', async (context) => {
      const run = await ready(context)
      const busy = await run.busy()
      const [{ agent }, before] = [await run.processes(), run.count('_posthog/session_start')]
      await run.killHub()
      busy.release()
      const end = await run.end(busy.message)
      expect(end).toMatchObject({ stopReason: 'end_turn', acks: 1 })
      expect(end.said).toContain(busy.word)
      expect([(await run.processes()).agent, run.count('_posthog/session_start')]).toEqual([agent, before])
    })

    it('is started again when it is killed, goes on with its turn and knows what was said', async (context) => {
      const run = await ready(context)
      const busy = await run.busy()
      const { agent, runner } = await run.processes()
      const family = agentProcesses(run.id)
      process.kill(agent, 'SIGKILL')
      await run.isAcked(busy.message, 2)
      busy.release()
      const end = await run.end(busy.message)
      expect(end).toMatchObject({ stopReason: 'end_turn', acks: 2 })
      expect(end.said).toContain(busy.word)
      expect((await run.processes()).runner).toBe(runner)
      expect(agentProcesses(run.id).filter((pid) => family.includes(pid))).toEqual([])
      expect(await run.answer('recall: the colour')).toContain('green')
    })

    it('goes on with its turn and knows what was said when its runner is killed', async (context) => {
      const run = await ready(context)
      const busy = await run.busy()
      const { runner } = await run.processes()
      const family = agentProcesses(run.id)
      process.kill(runner, 'SIGKILL')
      // In a sandbox the hub sees to it; here the next runner does.
      if (words.length > 0) await run.comesBack(runner)
      await run.isAcked(busy.message, 2)
      busy.release()
      const end = await run.end(busy.message)
      expect(end).toMatchObject({ stopReason: 'end_turn', acks: 2 })
      expect(end.said).toContain(busy.word)
      expect(agentProcesses(run.id).filter((pid) => family.includes(pid))).toEqual([])
      expect(await run.answer('recall: the colour')).toContain('green')
    })

    it('leaves no process behind when its run is closed', async (context) => {
      const run = await ready(context)
      await run.close()
      await vi.waitFor(() => expect([agentProcesses(run.id), agentAndRunner(run.id)]).toEqual([[], null]), {
        timeout: 60_000,
      })
    })
  })
})
