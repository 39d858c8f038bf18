import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext } from 'vitest'
import { knownAgents } from '../../packages/runner/src/catalogue/catalogue.ts'
import { installFiles } from '../../packages/runner/src/catalogue/install-files.ts'
import { AcpClient } from '../../packages/testkit/src/real-agents/acp-client.ts'
import {
  agentsUnderTest,
  startWithSettings,
} from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { installedAt, isInstalled } from '../../packages/testkit/src/real-agents/installed-at.ts'
import { type ScriptedLlm, scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'

type Asked = { method: string; params: Record<string, unknown>; isWritten: boolean }
type Option = { optionId: string; kind: string }

const wanted = agentsUnderTest.filter(({ id }) => inject('agents').includes(id))

describe.each(wanted.map((agent) => [agent.id, agent] as const))('%s', (_, agent) => {
  const folder = mkdtempSync(path.join(tmpdir(), `farhand-${agent.id}-`))
  const [home, cwd] = ['home', 'workspace'].map((name) => mkdtempSync(path.join(folder, name))) as [
    string,
    string,
  ]
  const written = path.join(cwd, 'hello.txt')
  const asked: Asked[] = []
  let llm: ScriptedLlm
  let client: AcpClient | null = null

  beforeAll(async () => {
    llm = await scriptedLlm()
    if (!isInstalled(agent)) return
    const place = { installed: installedAt(agent), home, llmUrl: llm.url }
    const { command, args, env } = startWithSettings(agent, place)
    const { PATH = '' } = process.env
    const entry = knownAgents.find(({ id }) => id === agent.id)!
    const at = (name: string) => path.join(home, name)
    const files = Object.entries(entry.files).map(([name, text]) => [at(name), text])
    installFiles({ folders: entry.folders.map(at), files: Object.fromEntries(files), links: {} })
    const always = Object.entries(entry.env).map(([name, value]) => [name, value.replaceAll('{state}', home)])
    client = new AcpClient({
      command,
      args: [...args, ...entry.args],
      env: { PATH, HOME: home, TMPDIR: home, ...Object.fromEntries(always), ...env },
      cwd,
      answer,
    })
    await client.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {}, url: {} },
      },
      clientInfo: { name: 'farhand-tests', version: '0' },
    })
  })

  afterAll(async () => {
    await client?.stop()
    await llm.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  function answer(method: string, params: Record<string, unknown>): unknown {
    asked.push({ method, params, isWritten: existsSync(written) })
    if (method === 'session/request_permission') {
      const options = params.options as Option[]
      const { optionId } = options.find(({ kind }) => kind === 'allow_once')!
      // Where it wants the answers of a person with its permission.
      return { outcome: { outcome: 'selected', optionId }, answers: { '0': 'right' } }
    }
    if (method !== 'elicitation/create') return undefined
    const { properties } = params.requestedSchema as { properties: Record<string, object> }
    const field = Object.keys(properties).find((name) => 'oneOf' in properties[name]!)!
    return { action: 'accept', content: { [field]: 'right' } }
  }

  const textSince = (from: number) =>
    client!.heard
      .slice(from)
      .map(
        ({ params }) => params?.update as { sessionUpdate: string; content?: { text?: string } } | undefined,
      )
      .map((update) => (update?.sessionUpdate === 'agent_message_chunk' ? (update.content?.text ?? '') : ''))
      .join('')

  async function session({ skip }: TestContext) {
    if (!client) return skip(`${agent.id} could not be installed`)
    const { sessionId } = await client.request('session/new', { cwd, mcpServers: [] })
    const from = client.heard.length
    asked.length = 0
    const { request, notify } = client
    return {
      text: () => textSince(from),
      prompt: (text: string) =>
        request.call(client, 'session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
      cancel: () => notify.call(client, 'session/cancel', { sessionId }),
    }
  }

  it('says what the model says', async (context) => {
    const { prompt, text } = await session(context)
    expect(await prompt('say: good morning')).toMatchObject({ stopReason: 'end_turn' })
    expect(text()).toContain('good morning')
  })

  it('writes a file after the user has allowed it', async (context) => {
    const { prompt } = await session(context)
    expect(await prompt(`write ${written}: from the model`)).toMatchObject({ stopReason: 'end_turn' })
    const permissions = asked.filter(({ method }) => method === 'session/request_permission')
    expect(permissions.map(({ isWritten }) => isWritten)).toEqual([false])
    expect(readFileSync(written, 'utf8')).toBe('from the model\n')
  })

  it('runs a command and tells the model what came of it', async (context) => {
    const { prompt, text } = await session(context)
    await prompt("run: expr 6 '*' 7 > number.txt; cat number.txt\nsay: that was it")
    expect(readFileSync(path.join(cwd, 'number.txt'), 'utf8')).toBe('42\n')
    expect(text()).toMatch(/that was it[\s\S]*\b42\b/)
  })

  it('hangs up on the model when its turn is cancelled', async (context) => {
    const { prompt, cancel, text } = await session(context)
    const turn = prompt('stream slowly')
    await client!.hears(() => text().includes('word 1'))
    cancel()
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    const request = await llm.request(({ answer }) => answer?.kind === 'endless')
    expect(await request.over).toBe('hung up')
  })

  it('passes on why its model refuses, and goes on afterwards', async (context) => {
    const { prompt, text } = await session(context)
    const error = await prompt('fail with 400').then(
      () => '',
      (refused) => String(refused),
    )
    if (!agent.hidesErrors) expect(error + text()).toContain('refused with 400 as scripted')
    expect(await prompt('say: still here')).toMatchObject({ stopReason: 'end_turn' })
    expect(text()).toContain('still here')
  })

  it(
    agent.canAsk ? 'asks its user what its model wants to know' : 'gives its model no way to ask',
    async (context) => {
      const { prompt, text } = await session(context)
      await prompt('ask me')
      const by = agent.wrapsQuestions ? 'session/request_permission' : 'elicitation/create'
      const questions = asked.map(({ method }) => method).filter((method) => !method.startsWith('craft/'))
      expect(questions).toEqual(agent.canAsk ? [by] : [])
      expect(text()).toMatch(agent.canAsk ? /The tool said: [\s\S]*right/ : 'There is no tool to ask with.')
    },
  )
})
