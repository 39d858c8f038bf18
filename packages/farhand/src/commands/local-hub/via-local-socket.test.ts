import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { followPortions } from '@farhand/client/follow/follow'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { ensureLocalHub } from '@farhand/device/local-hub/ensure-local-hub'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { farhandBin, temporaryFolder } from '../../farhand-under-test.ts'
import { localHubParts } from './local-hub-parts.ts'

it('a process that has taken the port of the user’s own hub gets no token, and readers of that hub find it elsewhere', async () => {
  const state = new StateFolder(await temporaryFolder())
  const given = { self: [process.execPath, farhandBin] as const, env: { PATH: process.env.PATH } }
  const call = (...words: string[]) =>
    runHere([...words, '--state', state.root], { ...given, cwd: state.root })
  onTestFinished(async () => void (await call('hub', 'stop')))
  const { url, token } = await ensureLocalHub(state, localHubParts(testContext(given)))
  const hub = viaLocalSocket(state.root, { url, token })
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 't' })
  const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  new KnownRuns(state.root).save({ url, token, at, agent: 'rehearsal', workspace: '' })
  const over = new AbortController()
  const following = (async () => {
    for await (const { events } of followPortions(hub, at, { signal: over.signal }))
      for (const { notification } of events) if (notification.params?.content === 'hi') return 'heard'
    return 'ended'
  })()
  onTestFinished(() => over.abort())

  const { pid } = new LocalHub(state.root).running!
  process.kill(pid, 'SIGKILL')
  const heard: string[] = []
  const stranger = createServer((req, res) => {
    heard.push(`${req.url} ${req.headers.authorization}`)
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"usr_1","role":"owner","items":[]}')
  })
  // The port is free when that process has ended.
  for (;;) {
    stranger.listen(Number(new URL(url).port), '127.0.0.1')
    if (
      await once(stranger, 'listening').then(
        () => true,
        () => false,
      )
    )
      break
  }
  onTestFinished(() => void stranger.close())

  expect((await call('status')).out).toContain(url)
  await call('send', at.run, 'hi')
  expect(await following).toBe('heard')
  expect(new LocalHub(state.root).running?.url).not.toBe(url)
  expect((await call('ls', '--json')).out).toContain(at.run)
  await call('status', at.run)
  await call('login', url, '--token', token)
  expect(heard).toEqual([])
}, 180_000)
