import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { askDevice } from './call-device.ts'
import { deviceSocketFile } from './device-folder.ts'
import { type DeviceCaller, openDeviceSocket } from './device-socket.ts'

async function stateFolder(): Promise<string> {
  const state = await mkdtemp(path.join(tmpdir(), 'farhand-door-'))
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  return state
}

const answer =
  (pid: number) =>
  (_: unknown, { say }: DeviceCaller) =>
    say({ v: 1, pid, version: '1', since: 0, deaths: {} })

it('a device process whose state folder was removed does not shut the door of the one that came after it', async () => {
  const state = await stateFolder()
  const first = await openDeviceSocket(state, answer(1))
  await rm(state, { recursive: true })
  const second = await openDeviceSocket(state, answer(2))
  onTestFinished(() => second.close())
  first.close()
  expect(await askDevice(state, { ask: 'hello' })).toMatchObject({ pid: 2 })
})

it('a device process that has ended answers no request that comes late', async () => {
  const state = await stateFolder()
  const door = await openDeviceSocket(state, answer(1))
  const caller = connect(await readFile(deviceSocketFile(state), 'utf8'))
  caller.on('error', () => {})
  await once(caller, 'connect')
  expect(await askDevice(state, { ask: 'hello' })).toMatchObject({ pid: 1 })
  const said: Buffer[] = []
  const closed = new Promise((resolve) => caller.on('close', resolve))
  caller.on('data', (piece) => said.push(piece))
  door.close()
  caller.write(`${JSON.stringify({ v: 1, ask: 'look' })}\n`)
  await closed
  expect(Buffer.concat(said).toString()).toBe('')
})

it('a command that hangs up while it is told something does no harm', async () => {
  const state = await stateFolder()
  const callers: DeviceCaller[] = []
  const door = await openDeviceSocket(state, (_, caller) => {
    callers.push(caller)
    caller.say({ v: 1, pid: 1, version: '1', since: 0, deaths: {} })
  })
  onTestFinished(() => door.close())
  const call = connect(await readFile(deviceSocketFile(state), 'utf8'))
  call.write(`${JSON.stringify({ v: 2, ask: 'watch' })}\n`)
  await once(call, 'data')
  call.destroy()
  await once(call, 'close')
  for (let n = 0; n < 10; n++) callers[0]!.say({ is: 'folders', folders: {} })
  if (!callers[0]!.over.aborted) await once(callers[0]!.over, 'abort')
  expect(await askDevice(state, { ask: 'hello' })).toMatchObject({ pid: 1 })
})

it.runIf(process.getuid?.() === 0)(
  'a command sends nothing to a socket that another user has put where the one of a dead device process was',
  async () => {
    const state = path.join(await stateFolder(), 'long'.repeat(40))
    await mkdir(state)
    let requests = 0
    const door = await openDeviceSocket(state, (_, { say }) => {
      requests += 1
      say({ v: 2, pid: 1, version: '1', since: 0, deaths: {} })
    })
    onTestFinished(() => door.close())
    expect(await askDevice(state, { ask: 'hello' })).toMatchObject({ pid: 1 })
    // The socket's path is too long for the state folder: its folder lies where every user may make one.
    await chown(path.dirname(await readFile(deviceSocketFile(state), 'utf8')), 12_345, 12_345)
    expect(await askDevice(state, { ask: 'hello' })).toBeNull()
    expect(requests).toBe(1)
  },
)
