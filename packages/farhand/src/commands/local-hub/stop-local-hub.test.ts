import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import {
  findRunningHub,
  lockHolders,
  lockingPids,
  stopLocalHub,
} from '@farhand/device/local-hub/stop-local-hub'
import { isThere } from '@farhand/hub/sandboxes/processes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { hubData, localHubParts } from './local-hub-parts.ts'

const patienceMs = 300

/** A process that holds the lock of the data as a hub does, and does not end when it is asked. */
async function wedgedHub(hub: LocalHub): Promise<number> {
  mkdirSync(hub.data, { recursive: true })
  const script = `
    import { lockData } from '@farhand/hub/store/data-lock'
    globalThis.lock = lockData(${JSON.stringify(hub.data)})
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
    console.log('holds')`
  const words = ['--import', 'tsx', '--input-type=module', '-e', script]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child.pid!
}

describe.runIf(process.platform === 'linux')('a hub that does not end when it is asked', () => {
  it('is killed, and what it leaves does not have it started again', async () => {
    const hub = new LocalHub(await temporaryFolder())
    const pid = await wedgedHub(hub)
    const file = path.join(hub.data, 'hub.json')
    writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:1', pid }))
    const [id] = lockHolders(hub.data)
    expect(id).toMatchObject({ pid })
    const stopped = await stopLocalHub(hub, localHubParts(testContext({})), patienceMs)
    expect(stopped).toEqual({ url: 'http://127.0.0.1:1', pid, isKilled: true })
    expect([isThere(id!), existsSync(file), hub.hasDied]).toEqual([false, false, false])
  })

  it('is found and killed also when a full disk kept it from noting where it is', async () => {
    const hub = new LocalHub(await temporaryFolder())
    const pid = await wedgedHub(hub)
    expect(await findRunningHub(hub, hubData)).toEqual({ url: null, pid })
    expect(await stopLocalHub(hub, localHubParts(testContext({})), patienceMs)).toEqual({
      url: null,
      pid,
      isKilled: true,
    })
    expect(await findRunningHub(hub, hubData)).toBeNull()
  })

  it('is not mistaken for another process that was given the number in its file', async () => {
    const hub = new LocalHub(await temporaryFolder())
    const pid = await wedgedHub(hub)
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' })
    onTestFinished(() => void bystander.kill('SIGKILL'))
    const note = (about: object) => writeFileSync(path.join(hub.data, 'hub.json'), JSON.stringify(about))
    note({ url: 'http://127.0.0.1:1', pid: bystander.pid, since: 'long ago' })
    expect(hub.hasDied).toBe(true)
    note({ url: 'http://127.0.0.1:1', pid: bystander.pid })
    expect(await stopLocalHub(hub, localHubParts(testContext({})), patienceMs)).toEqual({
      url: null,
      pid,
      isKilled: true,
    })
    expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null])
  })
})

it('holders of a lock are read from the table of Linux: those that wait, only read, or lock another file are none', () => {
  const table = `1: POSIX  ADVISORY  WRITE 12 00:2f:700 1073741824 1073742335
1: -> POSIX  ADVISORY  WRITE 13 00:2f:700 1073741824 1073742335
2: POSIX  ADVISORY  READ 14 00:2f:700 1073741826 1073742335
3: FLOCK  ADVISORY  WRITE 15 00:2f:700 0 EOF
4: POSIX  ADVISORY  WRITE 16 00:2f:701 0 EOF
5: POSIX  ADVISORY  WRITE 12 00:2f:700 0 0
`
  expect(lockingPids(table, 700)).toEqual([12])
})
