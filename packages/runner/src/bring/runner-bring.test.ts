import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, createRun, runStatus } from '@farhand/client/resources/resources'
import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import { expect, it } from 'vitest'
import { type Script, scripted } from '../agent/agent-under-test.ts'
import { RunUnderTest, textOf } from '../runner-under-test.ts'
import { bring } from './bring-under-test.ts'

/** Says which servers it was given and what it finds in its home; writes there if it is told to. */
const curious: Script = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': ({ fs, process }, params) => {
    fs.writeFileSync(
      `${process.env.HOME}/given`,
      JSON.stringify((params as { mcpServers: unknown }).mcpServers),
    )
    return { sessionId: 's' }
  },
  'session/prompt': ({ fs, process, say }, { prompt }: never) => {
    const file = `${process.env.CLAUDE_CONFIG_DIR}/CLAUDE.md`
    const words = (prompt as { text: string }[]).at(-1)!.text
    if (words.startsWith('write ')) fs.writeFileSync(file, words.slice(6))
    say(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 'nothing')
    return { stopReason: 'end_turn' }
  },
}

const begin = () =>
  RunUnderTest.begin({
    id: 'claude',
    command: (home) => {
      const { PATH = '' } = process.env
      const env = { PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, 'c'), WEB_TOKEN: 'hunter2-hunter2' }
      return { ...scripted(curious, env), name: 'curious' }
    },
    memory: MemoryTerms.parse({ files: ['given'] }),
  })

const restart = async (run: RunUnderTest) => {
  await run.stop()
  await run.start(undefined, undefined, { bring: true })
}

it('W45 an agent finds what was brought, in every new sandbox, and what it made of that itself stays', async () => {
  const run = await begin()
  const at = (...names: string[]) => join(run.state, 'agent', ...names)
  await bring(run, {
    '.agents/AGENTS.md': 'Use tabs.',
    '.agents/skills/a/run.sh': '#!/bin/sh',
    '.bashrc': 'evil',
    '.codex/AGENTS.md': 'for another',
  })
  await run.start()
  expect(textOf(await run.turn('look')), 'nothing is put into the home of a person').toBe('nothing')
  await restart(run)
  expect(textOf(await run.turn('look'))).toBe('Use tabs.')
  expect(statSync(at('c/skills/a/run.sh')).mode & 0o777).toBe(0o700)
  expect([at('.bashrc'), at('.codex')].some((place) => existsSync(place))).toBe(false)
  const told = await run.until((event) => event.notification.params?.brought !== undefined)
  expect(told.notification.params).toMatchObject({
    level: 'info',
    brought: { agent: 'claude', put: ['.agents/AGENTS.md', '.agents/skills/a/run.sh'], left: [] },
  })

  await bring(run, { '.agents/AGENTS.md': 'Use two spaces.' })
  await restart(run)
  expect(textOf(await run.turn('look')), 'the newest counts').toBe('Use two spaces.')
  expect(existsSync(at('c/skills/a/run.sh')), 'and nothing of the one before').toBe(false)

  await run.turn('write Mine.')
  await bring(run, { '.agents/AGENTS.md': 'Use four spaces.' })
  await restart(run)
  expect(textOf(await run.turn('look')), 'what the agent wrote is its own').toBe('Mine.')
  await run.lose()
  await run.start(undefined, undefined, { bring: true })
  expect(textOf(await run.turn('look'))).toBe('Use four spaces.')

  const { lastEventId } = await runStatus(run.user, run.at)
  const { project, task } = run.at
  const fork = await run.beside(
    addressOf(await createRun(run.user, project, task, { fork: { run: run.at.run, event: lastEventId } })),
  )
  await fork.start(undefined, undefined, { bring: true })
  expect(textOf(await fork.turn('look')), 'a fork takes it along').toBe('Use four spaces.')
})

it('W45 an agent is given the servers that were brought, with secrets of the run; others are left out, with a reason', async () => {
  const run = await begin()
  const web = { type: 'http', name: 'web', url: 'https://a.example/mcp' }
  await bring(run, {}, [
    { type: 'stdio', name: 'tools', command: 'node', args: ['--token', '{WEB_TOKEN}'], env: {} },
    { type: 'stdio', name: 'gone', command: 'no-such-program', args: [], env: {} },
    { ...web, headers: { Authorization: 'Bearer {OTHER_TOKEN}' } },
    { name: 'odd', type: 'carrier pigeon' },
  ])
  await run.start(undefined, undefined, { bring: true })
  await run.turn('look')
  const given = JSON.parse(readFileSync(join(run.state, 'agent/given'), 'utf8'))
  expect(given).toEqual([{ name: 'tools', command: 'node', args: ['--token', 'hunter2-hunter2'], env: [] }])
  const told = await run.until((event) => event.notification.params?.brought !== undefined)
  expect(told.notification.params).toMatchObject({
    level: 'warn',
    brought: {
      servers: ['tools'],
      left: [
        'the MCP server gone: program not found: no-such-program',
        'the MCP server web: the run has no secret OTHER_TOKEN',
        'the MCP server odd: the entry is invalid',
      ],
    },
  })
})
