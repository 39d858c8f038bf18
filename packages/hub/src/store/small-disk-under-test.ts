import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Where the script of `onSmallDisk` finds its disk. Other processes see an empty folder there. */
export const smallDisk = join(tmpdir(), 'farhand-small-disk')

const mounted = (...command: string[]) => {
  const mount = `mkdir -p ${smallDisk} && mount -t tmpfs -o size=2m none ${smallDisk} && "$@"`
  return ['--mount', '--map-root-user', 'sh', '-c', mount, 'sh', ...command]
}

/** Whether this machine lets us: it takes Linux, and user namespaces that are not forbidden. */
export const canMakeSmallDisk = spawnSync('unshare', mounted('true')).status === 0

/** Runs a module in a process of its own with a disk of 2 MB, and gives what it printed as JSON. */
export async function onSmallDisk(script: string): Promise<unknown> {
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
  const child = spawn('unshare', mounted(...node), { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(said)
}
