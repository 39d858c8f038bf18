import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { askDaemon } from './ask-daemon.ts'
import { daemonSocketFile } from './daemon-protocol.ts'
import { openDaemonSocket } from './daemon-socket.ts'

async function stateFolder(): Promise<string> {
  const state = await mkdtemp(path.join(tmpdir(), 'farhand-door-'))
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  return state
}

const answer = (pid: number) => () => ({ v: 1, pid, version: '1', since: 0, deaths: {} })

it('a daemon whose state folder was removed does not shut the door of the one that came after it', async () => {
  const state = await stateFolder()
  const first = await openDaemonSocket(state, answer(1))
  await rm(state, { recursive: true })
  const second = await openDaemonSocket(state, answer(2))
  onTestFinished(() => second.close())
  first.close()
  expect(await askDaemon(state, 'hello')).toMatchObject({ pid: 2 })
})

it('a daemon that has ended promises nothing to those who were about to ask', async () => {
  const state = await stateFolder()
  const door = await openDaemonSocket(state, answer(1))
  const caller = connect(await readFile(daemonSocketFile(state), 'utf8'))
  caller.on('error', () => {})
  await once(caller, 'connect')
  expect(await askDaemon(state, 'hello')).toMatchObject({ pid: 1 })
  const said: Buffer[] = []
  const closed = new Promise((resolve) => caller.on('close', resolve))
  caller.on('data', (piece) => said.push(piece))
  door.close()
  caller.write(`${JSON.stringify({ v: 1, ask: 'look' })}\n`)
  await closed
  expect(Buffer.concat(said).toString()).toBe('')
})
