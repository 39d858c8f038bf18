import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, type Child, freePort } from '../children.ts'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'
import { apiKey, type SyncthingNode, syncthingConfig } from './syncthing-config.ts'

/** Two instances that know only each other's address; their file watchers have the shortest delay that is allowed. */
export function syncthing(bench: Bench, program: string): FolderSync {
  let count = 0

  async function node(name: string): Promise<SyncthingNode> {
    const home = join(bench.folder, name)
    mkdirSync(home)
    const make = bench.children.start(program, ['generate', `--home=${home}`, '--no-default-folder'])
    await once(make.process, 'exit')
    const id = /Device ID: ([A-Z0-9-]+)/.exec(make.output())?.[1]
    if (id === undefined) throw new Error(`syncthing generate: ${make.output().slice(-300).trim()}`)
    return { home, id, port: await freePort(), guiPort: await freePort() }
  }

  async function serve(own: SyncthingNode, other: SyncthingNode, folder: string): Promise<Child> {
    writeFileSync(join(own.home, 'config.xml'), syncthingConfig(own, other, folder))
    const flags = ['serve', '--no-browser', '--no-restart', '--no-upgrade', `--home=${own.home}`]
    // The monitor would only restart it, and stay behind when killed.
    const child = bench.children.start('env', ['STNOUPGRADE=1', 'STMONITORED=1', program, ...flags])
    await answers(child, own.guiPort)
    return child
  }

  return {
    name: 'syncthing',
    peer: true,
    twoWay: true,
    async start(a, b) {
      const pair = ++count
      const [first, second] = [await node(`syncthing-${pair}a`), await node(`syncthing-${pair}b`)]
      const running = [await serve(first, second, a), await serve(second, first, b)]
      await connected(second)
      return {
        pids: running.map((child) => child.pid),
        stop: async () => {
          await Promise.all(running.map((child) => child.stop()))
        },
      }
    },
  }
}

async function connected(node: SyncthingNode): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`http://127.0.0.1:${node.guiPort}/rest/system/connections`, {
      headers: { 'X-API-Key': apiKey },
    })
    const { connections } = (await answer.json()) as { connections: Record<string, { connected: boolean }> }
    if (Object.values(connections).some((connection) => connection.connected)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the two syncthings did not find each other')
}
