import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, createRun } from '@farhand/client/resources/resources'
import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { describe, expect, it } from 'vitest'
import { type Script, scripted } from '../agent/agent-under-test.ts'
import { knownAgents } from '../catalogue/catalogue.ts'
import { RunUnderTest, rehearsalAgent, textOf } from '../runner-under-test.ts'

/** Keeps its sessions in files, tells what it was told, and hangs when it is told to and nothing else. */
const keeping: Script = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  'session/new': ({ fs, process }) => {
    fs.writeFileSync(`${process.env.AGENT_HOME}/s${process.pid}`, '')
    return { sessionId: `s${process.pid}` }
  },
  'session/resume': ({ fs, process }, { sessionId }: { sessionId: string }) => {
    if (!fs.existsSync(`${process.env.AGENT_HOME}/${sessionId}`)) throw { code: -32002, message: 'gone' }
    return {}
  },
  'session/prompt': ({ fs, process, say, update }, { sessionId, prompt }: never) => {
    const texts = (prompt as { text: string }[]).map(({ text }) => text)
    fs.appendFileSync(`${process.env.AGENT_HOME}/${sessionId}`, `${texts.at(-1)}\n`)
    if (texts.length > 1 || texts[0] !== 'hang') {
      say(`I was told: ${texts.join(' | ')}`)
      return { stopReason: 'end_turn' }
    }
    say('I begin.')
    update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'A long build', status: 'in_progress' })
  },
}
const begin = (memory: Partial<MemoryTerms> = {}) =>
  RunUnderTest.begin({
    id: 'keeping',
    command: (home) => scripted(keeping, { AGENT_HOME: home }),
    memory: MemoryTerms.parse(memory),
  })

const is = (method: string, more: object = {}) => {
  return ({ notification: { method: said, params } }: SeenEvent) =>
    said === method && Object.entries(more).every(([name, value]) => params?.[name] === value)
}
const hows = async (run: RunUnderTest, upTo: number) => {
  const found: unknown[] = []
  await run.until((event) => {
    if (is('_posthog/agent_start')(event)) found.push(event.notification.params?.how)
    return event.id >= upTo
  })
  return found
}

describe('W38 an agent whose sandbox is lost', () => {
  it('remembers in the next one, and is told there what was under way, once', async () => {
    const run = await begin()
    await run.start()
    await run.turn('one')
    await run.until(is('_posthog/agent_memory'))
    await run.say('_posthog/user_message', { content: 'hang' })
    await run.until(is('tool_call'))
    await run.lose()
    await run.start()
    const end = await run.until(
      (event) => is('_posthog/turn_complete')(event) && event.notification.params?.messageId !== 2,
    )
    const again = await run.until(
      (event) =>
        is('agent_message_chunk')(event) &&
        String(event.notification.params?.text).startsWith('I was told: You were'),
    )
    const text = String(again.notification.params?.text)
    expect(text).toMatch(
      /> hang\n\n\[The agent said\]\n> I begin\.\n\n\[A tool of the agent, failed: A long build\].*repeated next.* \| hang$/s,
    )
    expect(text, 'what it remembers is not told').not.toContain('> one')
    await run.until(is('tool_result', { toolCallId: 't', status: 'failed' }))
    expect(textOf(await run.turn('three'))).toBe('I was told: three')
    expect(await hows(run, end.id)).toEqual(['new', 'resumed'])
  })

  it('is told of the turns that it had ended and of which no memory was saved', async () => {
    const run = await begin()
    let isClosed = false
    await run.start(((url: string, init?: RequestInit) =>
      isClosed && url.includes('/file-urls')
        ? Promise.reject(new TypeError('fetch failed'))
        : leanFetch(url, init)) as typeof leanFetch)
    await run.turn('one')
    await run.until(is('_posthog/agent_memory'))
    isClosed = true
    await run.turn('two')
    await run.lose()
    await run.start()
    const told = textOf(await run.turn('three'))
    expect(told).toMatch(
      /started again.*\[The user said\]\n> two\n.*\[The turn ended: end_turn\].*comes next\.\n\n \| three$/s,
    )
    expect(told).not.toContain('> one')
  })

  it('is told all of the log where its workspace has another path, unless that makes no difference to it', async () => {
    const run = await begin()
    await run.start()
    await run.turn('one')
    const { id } = await run.until(is('_posthog/agent_memory'))
    await run.lose({ elsewhere: true })
    await run.start()
    expect(textOf(await run.turn('two'))).toMatch(/take over work.*> one.*\| two$/s)
    const warning = await run.until((event) => event.id > id && is('_posthog/console')(event))
    expect(warning.notification.params?.message).toMatch(
      /could not be restored: it is of a workspace in another place/,
    )
  })
})

describe('W39 an agent', () => {
  it('remembers only what a rewind has left, and is told the rest of that', async () => {
    const run = await begin()
    await run.start()
    await run.turn('one')
    const first = await run.until(is('_posthog/agent_memory'))
    const { sessionId, upTo } = first.notification.params as { sessionId: string; upTo: number }
    await run.turn('two')
    await run.until((event) => event.id > first.id && is('_posthog/agent_memory')(event))
    await run.say('_posthog/rewind', { to: upTo })
    const kept = () => readFileSync(join(run.state, 'agent', sessionId), 'utf8')
    expect(textOf(await run.turn('three')), 'in the same place').toBe('I was told: three')
    expect(kept()).toBe('one\nthree\n')
    const { id } = await run.until(is('_posthog/rewind'))
    await run.say('_posthog/rewind', { to: id - 1 })
    expect(textOf(await run.turn('four')), 'and back again').toBe('I was told: four')
    expect(kept()).toBe('one\ntwo\nfour\n')
    await run.say('_posthog/rewind', { to: upTo })
    await run.lose()
    await run.start()
    expect(textOf(await run.turn('five')), 'in another one').toBe('I was told: five')
    expect(kept()).toBe('one\nfive\n')
  })

  it('remembers in a fork what was said in the other run, and is told where they part', async () => {
    const run = await begin({ anywhere: true })
    await run.start()
    await run.turn('one')
    const { id } = await run.until(is('_posthog/agent_memory'))
    await run.turn('two')
    const { user, at } = run
    const made = await createRun(user, at.project, at.task, { fork: { run: at.run, event: id } })
    const fork = await run.beside(addressOf(made))
    await run.stop()
    await fork.start()
    const told = textOf(await fork.turn('three'))
    expect(told).toMatch(/started again.*Here this run parts.*\| three$/s)
    expect(told).not.toMatch(/> one|> two/)
  })
})

describe('W38 an agent that is started again where it was', () => {
  it('has what it kept there, not what the log has of it', async () => {
    const run = await begin()
    await run.start()
    await run.turn('one')
    await run.until(is('_posthog/agent_memory'))
    await run.stop()
    const later = join(run.state, 'agent', 'later')
    writeFileSync(later, 'written down after that')
    await run.start()
    expect(textOf(await run.turn('two'))).toBe('I was told: two')
    expect(existsSync(later)).toBe(true)
  })
})

describe('rehearsal', () => {
  it('W38 still knows in a new empty place what it was to remember', async () => {
    const { memory } = knownAgents.find(({ id }) => id === 'rehearsal')!
    const run = await RunUnderTest.begin({ ...rehearsalAgent, memory })
    await run.start()
    await run.turn('remember the port is 8080')
    await run.until(is('_posthog/agent_memory'))
    await run.lose({ elsewhere: true })
    await run.start()
    expect(textOf(await run.turn('recall the port'))).toContain('8080')
  })
})
