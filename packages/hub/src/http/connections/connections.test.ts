import { EventEmitter } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { connectionLimits } from './connection-limits.ts'
import { Connections } from './connections.ts'

const limits = { ...connectionLimits(1024), most: 20, strangersPerAddress: 5, perUser: 10 }
const later = () => performance.now() + 5_000

class PretendedSocket extends EventEmitter {
  readonly remoteAddress: string | undefined
  destroyed = false

  constructor(remoteAddress: string | undefined) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function opened() {
  const server = new EventEmitter()
  let drops = 0
  const connections = new Connections(server as Server, limits, () => drops++)
  const come = (from?: string) => {
    const socket = new PretendedSocket(from)
    server.emit('connection', socket)
    return socket as PretendedSocket & Socket
  }
  return { connections, come, drops: () => drops }
}

it('of many connections without sign-in from one address the oldest are closed, once they have had time to send a token', () => {
  const { connections, come } = opened()
  const sockets = Array.from({ length: 12 }, () => come('192.0.2.1'))
  const other = come('192.0.2.2')
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false)
  for (const socket of sockets.slice(0, 4)) expect(connections.trust(socket, 'usr_1')).toBe(true)
  connections.closeStrange(later())
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([
    ...[false, false, false, false],
    ...[true, true, true],
    ...[false, false, false, false, false],
  ])
  expect(other.destroyed).toBe(false)
})

it('when there are too many connections the oldest without sign-in is closed, never one with a token', () => {
  const { connections, come } = opened()
  const known = Array.from({ length: 18 }, (_, n) => {
    const socket = come('192.0.2.1')
    connections.trust(socket, `usr_${n}`)
    return socket
  })
  const [first, second] = [come('192.0.2.2'), come('192.0.2.3')]
  const third = come('192.0.2.4')
  expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
  for (const socket of [second, third]) connections.trust(socket, null)
  // With no stranger left it is who comes.
  expect(come('192.0.2.5').destroyed).toBe(true)
  expect(known.some(({ destroyed }) => destroyed)).toBe(false)
})

it('connections on the local socket and from sandboxes are not counted', () => {
  const { come } = opened()
  const sockets = Array.from({ length: 50 }, () => come())
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false)
})

it('one user has a limited number of connections, until one of them closes', () => {
  const { connections, come } = opened()
  const sockets = Array.from({ length: 10 }, () => come('192.0.2.1'))
  expect(sockets.every((socket) => connections.trust(socket, 'usr_1'))).toBe(true)
  const more = come('192.0.2.1')
  expect(connections.trust(more, 'usr_1')).toBe(false)
  expect(connections.trust(come('192.0.2.1'), 'usr_2')).toBe(true)
  sockets[0]!.destroy()
  expect(connections.trust(more, 'usr_1')).toBe(true)
})

it('a connection without sign-in that was answered and is idle for long is closed; one of a user is not', () => {
  const { connections, come } = opened()
  const [stranger, friend] = [come('192.0.2.1'), come('192.0.2.1')]
  const answered = Object.assign(new EventEmitter(), { writableFinished: true }) as unknown as ServerResponse
  for (const socket of [stranger, friend]) connections.track(socket, answered)
  connections.trust(friend, 'usr_1')
  connections.closeStrange(performance.now() + 60_000)
  expect([stranger.destroyed, friend.destroyed]).toEqual([true, false])
})
