import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, it } from 'vitest'
import { farhandBin, temporaryFolder } from '../../farhand-under-test.ts'

/** Runs this in a shell with a disk of its own at $1 that holds next to nothing. */
function withDisk(disk: string, script: string, ...args: string[]) {
  const mount = `mount -t tmpfs -o size=64k none "$1" && ${script}`
  const words = ['--mount', '--map-root-user', 'sh', '-c', mount, 'sh', disk, ...args]
  const env = { PATH: process.env.PATH, HOME: disk }
  return spawnSync('unshare', words, { env, encoding: 'utf8' })
}

const canMount = withDisk('/mnt', 'true').status === 0

it.skipIf(!canMount)(
  'where its state cannot be written, a run says so and begins nothing',
  async () => {
    const [disk, folder] = [await temporaryFolder(), await temporaryFolder()]
    const run = `"${process.execPath}" "${farhandBin}" run hello --agent rehearsal --folder "$2" --state "$1/state"`
    const full = withDisk(disk, run, folder)
    expect([full.status, full.stderr]).toEqual([
      1,
      expect.stringMatching(/The disk of .* is full: no hub can be started there\.\n.*--state/),
    ])
    const readOnly = withDisk(disk, `mount -o remount,ro "$1" && ${run}`, folder)
    expect([readOnly.status, readOnly.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The state folder .*state cannot be used: .*(no folder can be made|read-only).*\n.*--state/,
      ),
    ])
  },
  60_000,
)
