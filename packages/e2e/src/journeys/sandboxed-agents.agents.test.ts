import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { command } from '@farhand/testkit/program-process'
import { type AgentUnderTest, agentsUnderTest } from '@farhand/testkit/real-agents/agents-under-test'
import { isInstalled } from '@farhand/testkit/real-agents/installed-at'
import { userUnderTest } from '@farhand/testkit/real-agents/user-under-test'
import { scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { expect, inject, it, onTestFinished } from 'vitest'

const rounds = inject('long') ? 20 : 2

/** The one of ours is asked what the others are, with the settings of a person who has a model of their own. */
const builtin: AgentUnderTest = {
  id: 'builtin',
  packages: {},
  canAsk: true,
  startsAgain: 'resumed',
  start: ({ llmUrl }) => ({
    command: '',
    args: [],
    env: {
      ANTHROPIC_BASE_URL: llmUrl,
      ANTHROPIC_API_KEY: 'no-key-is-needed',
      FARHAND_MODEL: 'anthropic/scripted',
    },
  }),
}

/** Of the others only those whose memory is brought back by files of their own. */
const others = agentsUnderTest.filter(
  ({ id }) => ['opencode', 'claude'].includes(id) && inject('agents').includes(id),
)

it.each([builtin, ...others])(
  'W29 W38 $id goes on in another sandbox, with the same files and all that it was told',
  async (agent) => {
    if (!isInstalled(agent)) return expect.fail(`${agent.id} is not installed`)
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const home = mkdtempSync(path.join(tmpdir(), 'farhand-agents-drill-'))
    const state = path.join(home, 'state')
    const { env, bin } = userUnderTest(agent, { home, state, llmUrl: llm.url })
    const drill = ['drill', '--agent', agent.id, '--kill', 'random', '--rounds', String(rounds), '--json']
    const words = [command, ...drill, '--state', state]
    const { PATH = '', HOME = '', TMPDIR = '' } = process.env
    const child = spawn(process.execPath, words, { env: { HOME, TMPDIR, PATH: `${bin}:${PATH}`, ...env } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code, said).toBe(0)
    expect(said.match(/"event":"round"/g)).toHaveLength(rounds)
    rmSync(home, { recursive: true })
  },
  rounds * 60_000,
)
