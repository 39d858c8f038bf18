import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { farhandBin } from '../../packages/farhand/src/farhand-under-test.ts'
import { hasTmux, TerminalsUnderTest } from '../../packages/farhand/src/terminal/terminal-under-test.ts'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { userUnderTest } from '../../packages/testkit/src/real-agents/user-under-test.ts'
import { scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'

// It tries a model that is out of order again and again, for more than a minute, and reports none of it.
const wanted = agentsUnderTest.filter(({ id }) => id === 'opencode' && inject('agents').includes(id))

describe.skipIf(!hasTmux).each(wanted)('$id whose model is out of order', { timeout: 300_000 }, (agent) => {
  it('is not silent for the user: the terminal says that nothing is heard, and how to end it', async ({
    skip,
  }) => {
    if (!isInstalled(agent)) return skip(`${agent.id} could not be installed`)
    const llm = await scriptedLlm()
    const home = mkdtempSync(path.join(tmpdir(), 'farhand-retries-'))
    const [cwd, state] = [path.join(home, 'project'), path.join(home, 'state')]
    const given = userUnderTest(agent, { home, state, llmUrl: llm.url })
    const env = {
      ...given.env,
      HOME: home,
      TMPDIR: home,
      FARHAND_STATE: state,
      PATH: `${given.bin}:${process.env.PATH ?? ''}`,
    }
    mkdirSync(cwd)
    const terminals = new TerminalsUnderTest(home)
    onTestFinished(async () => {
      terminals.close()
      execFileSync(process.execPath, [farhandBin, 'hub', 'stop'], { cwd, env, stdio: 'ignore' })
      await llm.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 10 })
    })
    const words = [process.execPath, farhandBin, 'run', 'fail with 503', '--here', '--agent', agent.id]
    const me = terminals.open(words, { env, cwd })
    const seen = await me.sees(
      /Nothing was heard from opencode for 20 seconds\.[\s\S]*cancel\s+ends its turn/,
    )
    expect(seen).toMatch(/working · \d+ s/)
    const asked = llm.requests.length
    me.press('C-c')
    await me.sees('[c] cancel the turn')
    me.press('c')
    await me.sees('Cancelled.')
    expect(asked).toBeGreaterThan(1)
    me.press('C-c')
    await me.sees('[x] close')
    me.press('x')
    await me.sees('left with 0')
  })
})
