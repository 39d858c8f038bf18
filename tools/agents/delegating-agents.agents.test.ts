import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { knownAgents } from '../../packages/runner/src/catalogue/catalogue.ts'
import { installFiles } from '../../packages/runner/src/catalogue/install-files.ts'
import { endHub } from '../../packages/testkit/src/end-hub.ts'
import { HubProcess } from '../../packages/testkit/src/hub-process.ts'
import { AcpClient } from '../../packages/testkit/src/real-agents/acp-client.ts'
import {
  type AgentUnderTest,
  agentsUnderTest,
  startWithSettings,
} from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { installedAt, isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { type Answer, answerOf } from '../../packages/testkit/src/scripted-llm/answer-of.ts'
import type { Conversation } from '../../packages/testkit/src/scripted-llm/conversation.ts'
import { type ScriptedLlm, scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'

const command = fileURLToPath(new URL('../../packages/farhand/bin/farhand.cjs', import.meta.url))
const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))

/** A model that delegates what it is asked for, and then says what came back. */
function delegates(conversation: Conversation): Answer {
  const { tools, results } = conversation
  // Without tools it is no turn: the agent wants a title, or a decision in a form.
  if (tools.length === 0) return answerOf(conversation)
  // Agents put the name of the server before that of the tool.
  const tool = tools.find(({ name }) => /(^|[^a-z])cloud_agent$/.test(name))
  const [result] = results
  if (result !== undefined) return { kind: 'said', text: `It came back: ${result}`, call: null }
  if (!tool) return { kind: 'said', text: 'There is no such tool.', call: null }
  const input = { task: 'write far.txt with "made far away". say All is done', wait_seconds: 45 }
  return { kind: 'said', text: '', call: { name: tool.name, input } }
}

/** Starts an agent whose model is scripted, in a home of its own. */
function begin(agent: AgentUnderTest, llm: ScriptedLlm, home: string): AcpClient {
  const at = (name: string) => path.join(home, name)
  const entry = knownAgents.find(({ id }) => id === agent.id)!
  const started = startWithSettings(agent, { installed: installedAt(agent), home, llmUrl: llm.url })
  const files = Object.entries(entry.files).map(([name, text]) => [at(name), text])
  installFiles({ folders: entry.folders.map(at), files: Object.fromEntries(files), links: {} })
  const always = Object.entries(entry.env).map(([name, value]) => [name, value.replaceAll('{state}', home)])
  const { PATH = '' } = process.env
  return new AcpClient({
    command: started.command,
    args: [...started.args, ...entry.args],
    // Gemini starts no MCP server in a folder that its user has not trusted.
    env: {
      ...{ PATH, HOME: home, TMPDIR: home, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      ...Object.fromEntries(always),
      ...started.env,
    },
    cwd: home,
    answer(method, params) {
      if (method !== 'session/request_permission') return undefined
      const options = params.options as { optionId: string; kind: string }[]
      const { optionId } = options.find(({ kind }) => kind === 'allow_once')!
      return { outcome: { outcome: 'selected', optionId } }
    },
  })
}

describe('an agent of another vendor', () => {
  let hub: HubProcess
  beforeAll(async () => {
    hub = await HubProcess.start()
  })
  afterAll(() => endHub(hub))

  it.for(wanted.map((agent) => [agent.id, agent] as const))(
    '%s delegates a task with the tool cloud_agent, and its model gets the result',
    async ([id, agent], { skip }) => {
      if (!isInstalled(agent)) return skip(`${id} could not be installed`)
      const home = mkdtempSync(path.join(tmpdir(), `farhand-${id}-`))
      const llm = await scriptedLlm(delegates)
      const client = begin(agent, llm, home)
      try {
        const access = ['--hub', hub.url, '--token', hub.token, '--state', path.join(home, 'state')]
        const far = ['--agent', 'rehearsal', '--sandbox', 'process']
        const server = {
          name: 'farhand',
          command: process.execPath,
          args: [command, 'mcp', ...access, ...far],
        }
        await client.request('initialize', {
          protocolVersion: 1,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        })
        const { sessionId } = await client.request('session/new', {
          cwd: home,
          mcpServers: [{ ...server, env: [] }],
        })
        const results = () => llm.requests.flatMap(({ conversation }) => conversation?.results ?? [])
        const prompt = [{ type: 'text', text: 'Have it done far away.' }]
        // Some begin to work before all their servers have told them their tools.
        while (results().length === 0) await client.request('session/prompt', { sessionId, prompt })
        expect(results().join('\n')).toContain('status: completed')
        expect(results().join('\n')).toContain('All is done')
      } finally {
        await client.stop()
        await llm.close()
        rmSync(home, { recursive: true, force: true, maxRetries: 5 })
      }
    },
  )
})
