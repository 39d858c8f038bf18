import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sleep } from '@farhand/kit/sleep'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import { cgroupsOf, usableCgroups } from './cgroups.ts'
import { processesOf } from './processes.ts'
import { shellSpec } from './shell-spec-under-test.ts'

const limits = { memoryMb: 64, processes: 40, cpus: 1, diskMb: 32 }

/** Lets bombs go off in sandboxes, and tells what became of them, of others, and of the machine. */
export async function bombAll(root: string) {
  const folder = path.join(root, 'sandboxes')
  mkdirSync(folder, { recursive: true })
  const host = new BubblewrapSandboxHost({ folder, secret: [] })
  const count = (id: string) =>
    processesOf({ mark: id, leader: null, cgroups: cgroupsOf(usableCgroups(), id) }).length
  // Each of them does it for ever, with a pause when it fails: others run tests on this machine.
  const forking = "exec perl -e 'while (1) { defined fork or select undef, undef, undef, 0.05 }'"
  const forks = shellSpec(root, () => forking, { limits, network: 'sockets-only' })
  const eats = shellSpec(
    root,
    () => `perl -e '$x .= "x" x 1048576 while 1'; echo "ended with $?"; echo still here`,
    {
      limits,
      network: 'sockets-only',
    },
  )
  try {
    await host.start(forks)
    while (count(forks.id) < limits.processes * 0.8) await sleep(5)
    const counts = Array.from({ length: 5 }, () => count(forks.id))
    const said = execFileSync('echo', ['the machine lives'], { encoding: 'utf8' })
    await host.start(eats)
    const eaten = await host.ended(eats.id)
    await host.remove(forks.id)
    return {
      most: Math.max(...counts),
      // Those outside: three shells of the supervisor, one of them asleep, who keeps the last words, and bubblewrap.
      allowed: limits.processes + 6,
      left: count(forks.id),
      said,
      eaten: eaten.lastWords,
      // Of the disk that is mounted in each nothing is seen outside.
      mounted: readFileSync('/proc/self/mountinfo', 'utf8').includes(folder),
      groupsLeft: cgroupsOf(usableCgroups(), forks.id).filter(existsSync),
    }
  } finally {
    for (const { id } of [forks, eats]) await host.remove(id)
  }
}
