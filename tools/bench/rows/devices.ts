import { join } from 'node:path'
import { bindDevice } from '@farhand/hub/access/bound-devices'
import { openSecret } from '@farhand/hub/access/secret'
import { addUser } from '@farhand/hub/access/users'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { sleep } from '@farhand/kit/sleep'
import { WebSocket } from 'ws'
import { cpuMs } from '../load/process-use.ts'
import { type Hub, residentBytes, startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

/** A user may have this many devices connected. */
const perUser = 100
const requestCount = 200
/** Long enough for a heartbeat of each device. */
const idleMs = 35_000

type Device = { token: string; socket: WebSocket | null; isLost: boolean }
type User = { token: string; devices: Device[] }

/** Users with their bound devices, written into the store of the hub. */
async function bound(hub: Hub, count: number): Promise<User[]> {
  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  const secret = await openSecret(hub.data)
  try {
    const users: User[] = []
    for (let made = 0; made < count; made += perUser) {
      const name = `user ${made} ${Date.now()}`
      const { user, token } = await addUser(store.db, { name, role: 'member' }, new Date())
      const devices: Device[] = []
      for (let nth = 0; nth < Math.min(perUser, count - made); nth += 1) {
        const device = { user: user.id, name: `device ${nth}` }
        const { acp_token } = await bindDevice({ db: store.db, secret }, device, new Date())
        devices.push({ token: acp_token, socket: null, isLost: false })
      }
      users.push({ token, devices })
    }
    return users
  } finally {
    await store.close()
  }
}

function connect(hub: Hub, device: Device, heard: (type: string, request: string) => void): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/acp/ws`, {
    headers: { authorization: `Bearer ${device.token}` },
    perMessageDeflate: false,
  })
  device.socket = socket
  socket.on('close', () => {
    device.isLost = true
  })
  socket.on('message', (data) => {
    const { type, data: said } = JSON.parse(String(data))
    if (type === 'acp_request') {
      socket.send(JSON.stringify({ type: 'acp_ack', seq: 1, data: { request_id: said.request_id } }))
      heard(type, said.request_id)
    }
  })
  return new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
}

async function routed(
  hub: Hub,
  users: readonly User[],
  arrivals: Map<string, () => void>,
): Promise<number[]> {
  const times: number[] = []
  for (let nth = 0; nth < requestCount; nth += 1) {
    const user = users[nth % users.length]!
    const began = performance.now()
    const arrived = new Promise<void>((resolve) => arrivals.set('next', resolve))
    const answer = await fetch(new URL('/api/requests', hub.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: `do ${nth}` }),
    })
    if (!answer.ok) throw new Error(`a request was answered ${answer.status}: ${await answer.text()}`)
    await arrived
    times.push(performance.now() - began)
  }
  return times
}

export const devices: Row = {
  name: 'devices',
  title: 'Connected devices, and requests to them',
  peers: [],
  async run(bench) {
    const count = bench.quick ? 200 : 2_000
    const hub = await startHub(bench, join(bench.folder, 'hub'), { settings: ['--log-level', 'warn'] })
    const measure = async (): Promise<Sample> => {
      const users = await bound(hub, count)
      const all = users.flatMap((user) => user.devices)
      const arrivals = new Map<string, () => void>()
      const before = residentBytes(hub.child.pid)
      try {
        const began = performance.now()
        for (let at = 0; at < all.length; at += 50)
          await Promise.all(
            all.slice(at, at + 50).map((device) => connect(hub, device, () => arrivals.get('next')?.())),
          )
        const connectMs = performance.now() - began
        const memory = residentBytes(hub.child.pid) - before
        const cpu = cpuMs(hub.child.pid)
        const waitMs = bench.quick ? 5_000 : idleMs
        await sleep(waitMs)
        const idle = cpuMs(hub.child.pid) - cpu
        const lost = all.filter(({ isLost }) => isLost).length
        const times = await routed(hub, users, arrivals)
        return {
          'KiB RSS a device': memory / count / 1024,
          'ms CPU in 10 s, idle': (idle / waitMs) * 10_000,
          'devices lost': lost,
          'devices connected a second': (count / connectMs) * 1000,
          'ms to the device, p50': percentile(times, 0.5),
          'ms to the device, p99': percentile(times, 0.99),
        }
      } finally {
        for (const { socket } of all) socket?.terminate()
      }
    }
    const hubOnly = [{ name: 'hub', measure }]
    return {
      figures: await interleave(hubOnly, bench.quick ? 1 : 3, bench.say, 0),
      goals: [
        {
          text: 'memory a device at most 64 KiB',
          metric: 'KiB RSS a device',
          hub: 'hub',
          atMost: 64,
          unit: ' KiB',
          aim: true,
        },
        {
          text: 'no device is lost by a heartbeat',
          metric: 'devices lost',
          hub: 'hub',
          atMost: 0,
          worst: true,
        },
      ],
      notes: [
        `${count.toLocaleString('en')} devices, each with a socket of its own, ${perUser} for each user. A request is timed from before it is sent over HTTP until its device has it; its run, its message and its state are durable by then.`,
      ],
    }
  },
}
