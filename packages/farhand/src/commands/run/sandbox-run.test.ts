import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import type { Trouble } from '@farhand/device/trouble/trouble'
import { json, type Reply, refuse, scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'

const createdAt = '2030-01-01T00:00:00.000Z'
const run = {
  id: someRun.run,
  project: someRun.project,
  task: someRun.task,
  agent: 'x',
  mode: 'interactive',
  createdAt,
}

/** A hub that is as old as this makes it. */
async function hubAnswering(answerToRun: Reply) {
  const hub = await scriptedHub((response, request) => {
    const { method, path: url } = request
    if (method === 'DELETE') return json(202, { lastEventId: 1 })(response, request)
    if (url.endsWith('/runs')) return answerToRun(response, request)
    if (url.endsWith('/tasks'))
      return json(201, { id: someRun.task, project: someRun.project, title: 't', prompt: null, createdAt })(
        response,
        request,
      )
    if (method === 'POST')
      return json(201, { id: someRun.project, name: 'p', owner: 'usr_scripted1', createdAt })(
        response,
        request,
      )
    return json(200, { items: [], next: null })(response, request)
  })
  onTestFinished(() => hub.close())
  return hub
}

async function troubleOf(url: string, ...words: string[]): Promise<Trouble> {
  const where = ['--hub', url, '--token', 'some', '--state', await temporaryFolder()]
  const args = ['run', 'do it', '--agent', 'rehearsal', ...words, ...where]
  return (await runHere(args).catch((error: unknown) => error)) as Trouble
}

describe('farhand run', () => {
  it('is refused by a hub that is older than sandboxes, and leaves no run behind there', async () => {
    const hub = await hubAnswering(json(201, { ...run, sandbox: 'auto' }))
    const trouble = await troubleOf(hub.url, '--folder', await temporaryFolder())
    expect(trouble).toMatchObject({ exit: 'failed', message: expect.stringMatching(/has no sandboxes/) })
    expect(hub.requests.at(-1)?.method).toBe('DELETE')
  })

  it('tells what a hub says against it', async () => {
    const hub = await hubAnswering(
      refuse(400, 'request.malformed', 'fix-request', { message: 'There is no bubblewrap.' }),
    )
    const trouble = await troubleOf(hub.url, '--folder', await temporaryFolder())
    expect(trouble.message).toBe('The hub says: There is no bubblewrap.')
  })

  it('begins with a repository from elsewhere only where nothing is', async () => {
    const folder = await temporaryFolder()
    writeFileSync(path.join(folder, 'mine.txt'), '')
    const clone = ['--clone', 'https://example.org/a/b.git', '--folder']
    expect(await troubleOf('http://127.0.0.1:9', ...clone, folder)).toMatchObject({
      message: expect.stringMatching(/is not empty/),
    })
    mkdirSync(path.join(folder, 'empty'))
    const hub = await hubAnswering(refuse(400, 'request.malformed', 'fix-request'))
    const trouble = await troubleOf(hub.url, ...clone, path.join(folder, 'empty'))
    expect(trouble.message).toMatch(/The hub says/)
  })

  it('asks no question for an unknown agent, and says which one may be meant', async () => {
    const [state, folder] = [await temporaryFolder(), await temporaryFolder()]
    const url = 'http://127.0.0.1:9'
    mkdirSync(path.join(state, 'hub'))
    new LocalHub(state).save({ url, token: 'some' })
    const args = ['run', 'do it', '--agent', 'cluade', '--folder', folder, '--state', state]
    await expect(runHere([...args, '--hub', url, '--token', 'some'])).rejects.toMatchObject({
      exit: 'usage',
      message: 'There is no agent called "cluade".',
      nextStep: expect.stringMatching(/^Did you mean claude\? There are builtin, rehearsal, .*codex/),
    })
  })

  it.each([
    [
      'is not installed',
      { state: 'not-installed', missing: [] },
      [],
      'Claude is not installed where the hub is.',
    ],
    [
      'has no key',
      { state: 'unset', missing: [['A_KEY']] },
      [],
      'Claude cannot work in a sandbox yet: A_KEY is not set.',
    ],
    [
      'has no key but that of a secret',
      { state: 'unset', missing: [['A_KEY']] },
      ['--secret', 'A_KEY'],
      'The hub says: no',
    ],
  ])('sends nothing for an agent that %s where the hub is', async (_, state, words, message) => {
    const listed = { id: 'claude', name: 'Claude', install: null, ...state }
    const hub = await scriptedHub((response, request) =>
      request.method === 'GET'
        ? json(200, { agents: [listed], sandboxes: [], usual: 'auto', items: [], next: null })(
            response,
            request,
          )
        : refuse(400, 'request.malformed', 'fix-request', { message: 'no' })(response, request),
    )
    onTestFinished(() => hub.close())
    const [folder, place] = [await temporaryFolder(), await temporaryFolder()]
    const where = ['--folder', folder, '--hub', hub.url, '--token', 'some', '--state', place]
    const args = ['run', 'do it', '--agent', 'claude', ...words, ...where]
    await expect(runHere(args, { env: { PATH: '/nowhere' } })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    })
    if (words.length === 0) expect(hub.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('wants to know which agent, before anything is done', async () => {
    const state = await temporaryFolder()
    const folder = ['--folder', await temporaryFolder()]
    const args = ['run', 'do it', ...folder, '--state', state, '--hub', 'http://127.0.0.1:9']
    await expect(runHere(args)).rejects.toThrow('Which agent?')
  })
})
