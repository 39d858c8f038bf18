import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Where the script of `onSmallDisk` finds its disk. Only its own process sees the disk; there is a folder for it meanwhile. */
export const smallDisk = join(tmpdir(), `farhand-small-disk-${process.pid}`)

const removeFolder = () => rmSync(smallDisk, { recursive: true, force: true })

const mounted = (...command: string[]) => {
  const mount = `mkdir -p ${smallDisk} && mount -t tmpfs -o size=2m none ${smallDisk} && "$@"`
  return ['--mount', '--map-root-user', 'sh', '-c', mount, 'sh', ...command]
}

/** Whether this machine lets us: it takes Linux, and user namespaces that are not forbidden. */
export const canMakeSmallDisk = spawnSync('unshare', mounted('true')).status === 0
removeFolder()

/** Runs a module in a process of its own with a disk of 2 MB, and gives what it printed as JSON. */
export async function onSmallDisk(script: string): Promise<unknown> {
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
  const child = spawn('unshare', mounted(...node), { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  removeFolder()
  return JSON.parse(said)
}
