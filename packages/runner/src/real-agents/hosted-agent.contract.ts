import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { type AgentUnderTest, startWithSettings } from '@farhand/testkit/real-agents/agents-under-test'
import { installedAt, isInstalled } from '@farhand/testkit/real-agents/installed-at'
import { type LlmRequest, type ScriptedLlm, scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { bring } from '../bring/bring-under-test.ts'
import type { AgentEntry } from '../catalogue/agent-entry.ts'
import { knownAgents } from '../catalogue/catalogue.ts'
import { installFiles } from '../catalogue/install-files.ts'
import { type HostedAgent, RunUnderTest, textOf } from '../runner-under-test.ts'

type Option = { optionId: string; kind?: string; name: string }

/** What a user brings: instructions, and a skill whose purpose the agent is to know. */
const garden = {
  '.agents/AGENTS.md': 'Mind the marigolds.',
  '.agents/skills/pruning/SKILL.md': '---\nname: pruning\ndescription: How the wisteria is cut\n---\n',
}

/** What of that its model was shown. */
const readOf = ({ body }: LlmRequest) =>
  ['Mind the marigolds.', 'How the wisteria is cut'].filter((words) => JSON.stringify(body).includes(words))

const is = (method: string) => (event: SeenEvent) => event.notification.method === method

/** How a runner under test starts it, with a home of its own and this model. */
export function hosted(agent: AgentUnderTest, llmUrl: string): HostedAgent {
  const { PATH = '' } = process.env
  const entry = knownAgents.find(({ id }) => id === agent.id)!
  const isOurs = entry.command === 'farhand'
  let starts = 0
  return {
    id: agent.id,
    asks: { unasked: entry.unasked.here, denyMode: entry.denyMode },
    hidesContext: entry.hidesContext,
    command(home) {
      const place = { installed: installedAt(agent), home, llmUrl, startedBefore: starts++ }
      const { command, args, env } = startWithSettings(agent, place)
      putBelow(home, entry)
      const always = below(home, entry.env)
      return {
        command,
        args: [...args, ...(isOurs ? [] : entry.args)],
        env: { PATH, HOME: home, TMPDIR: temporaryIn(home), ...always, ...env },
      }
    },
  }
}

/** The same in a sandbox: it has a home there that is lost, and what it keeps is elsewhere. */
function inSandbox(agent: AgentUnderTest, llmUrl: string): HostedAgent {
  const { sandboxEnv, memory } = knownAgents.find(({ id }) => id === agent.id)!
  const { id, command } = hosted(agent, llmUrl)
  return {
    id,
    memory,
    command(home) {
      const { env, ...program } = command(home)
      return { ...program, env: { ...env, HOME: join(home, '..', 'home'), ...below(home, sandboxEnv) } }
    },
  }
}

/** Agents leave things in the folder for temporary files: this one is removed with their home. */
function temporaryIn(home: string): string {
  const folder = join(home, 'tmp')
  mkdirSync(folder, { recursive: true })
  return folder
}

const below = (home: string, env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll('{state}', home)]))

function putBelow(home: string, { folders, files }: AgentEntry): void {
  const put = Object.entries(files).map(([name, text]) => [join(home, name), text])
  installFiles({
    folders: folders.map((name) => join(home, name)),
    files: Object.fromEntries(put),
    links: {},
  })
}

/** What a runner makes of any agent that it hosts. The tests are skipped, and say so, if it could not be installed. */
export function hostedAgentContract(agent: AgentUnderTest): void {
  describe(`a runner that hosts ${agent.id}`, () => {
    let llm: ScriptedLlm

    beforeAll(async () => {
      llm = await scriptedLlm()
    })

    afterAll(() => llm.close())

    async function begin(
      { skip }: TestContext,
      how = hosted,
      brought?: Record<string, string>,
    ): Promise<RunUnderTest> {
      if (!isInstalled(agent)) return skip(`${agent.id} could not be installed`)
      const run = await RunUnderTest.begin(how(agent, llm.url))
      if (brought) await bring(run, brought)
      await run.start(undefined, undefined, { bring: brought !== undefined })
      return run
    }

    /** Answers the first question of the run in the name of a person. */
    async function answer(
      run: RunUnderTest,
      choose: (options: Option[]) => unknown,
      before?: () => Promise<void>,
    ): Promise<SeenEvent> {
      const question = await run.until(is('_posthog/agent_question'))
      const { questionId, options } = question.notification.params as {
        questionId: string
        options: Option[]
      }
      await before?.()
      await run.say('_posthog/user_response', { questionId, answer: choose(options) })
      return question
    }

    /** What its model is asked in the turn of this message; without tools it would be for a title, or the like. */
    const asked = (text: string) =>
      llm.request(({ conversation }) => conversation?.userText === text && conversation.tools.length > 0)

    const once = (options: Option[]) => options.find(({ kind }) => kind === 'allow_once')?.optionId

    it('W30 lets it write a file when a person has allowed that, and not before', async (context) => {
      const run = await begin(context)
      const turn = run.turn(`write ${join(run.workspace, 'hello.txt')}: from the model`)
      const written = () => readFile(join(run.workspace, 'hello.txt'), 'utf8').catch(() => null)
      await answer(run, once, async () => expect(await written()).toBeNull())
      expect((await turn).at(-1)?.params).toMatchObject({ stopReason: 'end_turn' })
      expect(await written()).toBe('from the model\n')
      const closed = await run.until(is('_posthog/question_closed'))
      expect(closed.notification.params).toMatchObject({ how: 'answered' })
      const change = await run.until(is('_posthog/file_change'))
      expect(JSON.stringify(change.notification.params)).toContain('hello.txt')
    })

    it('shows what a command of it printed', async (context) => {
      const run = await begin(context)
      const turn = run.turn("run: expr 6 '*' 7 > number.txt; cat number.txt\nsay: that was it")
      await answer(run, once)
      const said = await turn
      expect(said.at(-1)?.params).toMatchObject({ stopReason: 'end_turn' })
      expect(await readFile(join(run.workspace, 'number.txt'), 'utf8')).toBe('42\n')
      expect(textOf(said)).toMatch(/that was it[\s\S]*\b42\b/)
      const calls = said.filter(({ method }) => method === 'tool_call' || method === 'tool_result')
      expect(calls.at(-1)?.params).toMatchObject({ status: 'completed' })
    })

    it('W29 ends its turn as cancelled in the middle of a word, and goes on with the next', async (context) => {
      const run = await begin(context)
      const turn = run.turn('stream slowly')
      await run.until(
        ({ notification: { method, params } }) =>
          method === 'agent_message_chunk' && String(params?.text).includes('word'),
      )
      await run.say('_posthog/cancel')
      expect((await turn).at(-1)?.params).toMatchObject({ stopReason: 'cancelled' })
      const request = await llm.request(({ answer }) => answer?.kind === 'endless')
      expect(await request.over).toBe('hung up')
      expect(textOf(await run.turn('say: still here'))).toContain('still here')
    })

    it('W29 hears what is said into its turn if it can, and else ends the turn to hear it', async (context) => {
      const run = await begin(context)
      const first = await run.say('_posthog/user_message', { content: 'run: echo red > colour.txt' })
      await run.until(is('_posthog/agent_question'))
      const second = await run.say('_posthog/user_message', { content: 'say: in blue', when: 'steer' })
      const mark = (method: string, key: 'id' | 'messageId', messageId: number) =>
        run.until((event) => is(method)(event) && event.notification.params?.[key] === messageId)
      const { said } = (await run.until(is('_posthog/agent_start'))).notification.params as {
        said: { _meta?: { steering?: { supported?: boolean } } | null }
      }
      const canHear = said._meta?.steering?.supported === true
      const ack = await mark('_posthog/ack', 'id', second)
      expect(ack.notification.params?.into).toBe(canHear ? first : undefined)
      if (canHear) await answer(run, once)
      const ends = [await mark('_posthog/turn_complete', 'messageId', first)]
      ends.push(await mark('_posthog/turn_complete', 'messageId', second))
      expect(ends.map(({ notification: { params } }) => params?.stopReason)).toEqual([
        canHear ? 'end_turn' : 'cancelled',
        'end_turn',
      ])
      await run.until(
        ({ id, notification: { method, params } }) =>
          id > ack.id && method === 'agent_message_chunk' && String(params?.text).includes('blue'),
      )
    })

    it('tells why its model refuses, and goes on with the next message', async (context) => {
      const run = await begin(context)
      const turn = await run.turn('fail with 400')
      const { error } = turn.at(-1)?.params ?? {}
      const why = agent.hidesErrors ? 'Its model may have failed' : 'refused with 400 as scripted'
      expect(textOf(turn) + JSON.stringify(error ?? null)).toContain(why)
      const next = await run.turn('say: still here')
      expect(next.at(-1)?.params).toMatchObject({ stopReason: 'end_turn' })
      expect(textOf(next)).toContain('still here')
    })

    it('goes on under a new runner and knows what was said before', async (context) => {
      const run = await begin(context)
      await run.turn('say: the colour is green')
      await run.stop()
      await run.start()
      expect(textOf(await run.turn('say: the shape is round'))).toContain('the shape is round')
      const again = await run.until(
        ({ notification: { method, params } }) => method === '_posthog/agent_start' && params?.how !== 'new',
      )
      expect(again.notification.params).toMatchObject({ agent: agent.id, how: agent.startsAgain })
      const request = await asked('say: the shape is round')
      expect(JSON.stringify(request.body)).toContain('the colour is green')
    })

    it('W38 in a new empty place still knows what was said, by itself if it can', async (context) => {
      const run = await begin(context, inSandbox)
      await run.turn('say: the colour is green')
      const remembered = await run.until(is('_posthog/agent_memory'))
      expect(remembered.notification.params).toMatchObject({ agent: agent.id, cwd: run.workspace })
      await run.lose()
      await bring(run, garden)
      await run.start(undefined, undefined, { bring: true })
      expect(textOf(await run.turn('recall: the colour'))).toContain('green')
      const again = await run.until(
        ({ id, notification: { method } }) => id > remembered.id && method === '_posthog/agent_start',
      )
      expect(again.notification.params?.how).toBe(agent.startsAgain)
      const request = await asked('recall: the colour')
      // Who remembers is told nothing twice.
      const isTold = JSON.stringify(request.body).includes('This is the end of the record')
      expect(isTold).toBe(agent.startsAgain === 'briefed')
      const read = agent.keepsFirstSetup ? 0 : 2
      expect(readOf(request), 'W45 and it has read what its user brings').toHaveLength(read)
    })

    it('W45 has read what its user brings when it begins', async (context) => {
      const run = await begin(context, inSandbox, garden)
      await run.turn('say: in the garden')
      expect(readOf(await asked('say: in the garden'))).toHaveLength(2)
    })

    it('shows it what a person has put beside a message', async (context) => {
      const run = await begin(context)
      const bytes = new TextEncoder().encode('marmalade\n')
      const hash = BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`)
      await uploadBlobs(run.user, run.at, [{ hash, size: bytes.length, open: () => bytes }])
      const attachments = [{ hash, name: 'a note.txt', mimeType: 'text/plain', size: bytes.length }]
      const messageId = await run.say('_posthog/user_message', { content: 'say: I see', attachments })
      const end = await run.until(
        ({ notification: { method, params } }) =>
          method === '_posthog/turn_complete' && params?.messageId === messageId,
      )
      expect(end.notification.params).toMatchObject({ stopReason: 'end_turn' })
      const bodies = llm.requests.map(({ body }) => JSON.stringify(body))
      const shown = bodies.filter((body) => body.includes('marmalade') && body.includes('say: I see'))
      // Some name it as a part of an address.
      expect(shown.join('\n')).toMatch(/a( |%20)note\.txt/)
    })

    if (agent.canAsk)
      it('W30 asks people what its model wants to know', async (context) => {
        const run = await begin(context)
        const turn = run.turn('ask me')
        const question = await answer(run, () => 'right')
        expect(question.notification.params?.question).toContain('Left or right?')
        expect(textOf(await turn)).toMatch(/The tool said: [\s\S]*right/)
      })
  })
}
