import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentsUnderTest } from '@farhand/testkit/real-agents/agents-under-test'
import { isInstalled } from '@farhand/testkit/real-agents/installed-at'
import { scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { RunUnderTest } from '../runner-under-test.ts'
import { hosted, hostedAgentContract } from './hosted-agent.contract.ts'

const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))

for (const agent of wanted) hostedAgentContract(agent)

describe.each(wanted.filter(({ id }) => id === 'codex'))('a runner that hosts $id', (agent) => {
  it('needs nothing but a key', async ({ skip }) => {
    if (!isInstalled(agent)) return skip(`${agent.id} could not be installed`)
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const { command } = hosted(agent, llm.url)
    const run = await RunUnderTest.begin({
      id: agent.id,
      command(home) {
        const { env, ...program } = command(home)
        const { CODEX_CONFIG: _, ...rest } = env
        const bare = join(home, 'bare')
        mkdirSync(join(bare, '.codex'), { recursive: true })
        writeFileSync(join(bare, '.codex', 'config.toml'), `openai_base_url = "${llm.url}/v1"\n`)
        return { ...program, env: { ...rest, HOME: bare } }
      },
    })
    await run.start()
    await run.say('_posthog/user_message', { content: 'say: hello' })
    // An agent without a sign-in would end the turn instead.
    const first = await run.until(
      ({ notification: { method } }) =>
        method === '_posthog/agent_start' || method === '_posthog/turn_complete',
    )
    expect(first.notification).toMatchObject({ method: '_posthog/agent_start', params: { how: 'new' } })
  })
})
