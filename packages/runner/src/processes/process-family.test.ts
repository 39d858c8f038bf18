import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import { expect, it } from 'vitest'
import { killFamily, markName } from './process-family.ts'

// Each shell becomes the next one: again and again it is a process that has no environment yet.
const becomes = 'n=$0; [ $n -gt 0 ] && exec sh -c "$1" $((n - 1)) "$1"; exec sleep 300'

it.runIf(process.platform === 'linux')(
  'a process that is about to become another program does not stay',
  { timeout: 300_000 },
  async () => {
    const endsAtOnce = async (nth: number) => {
      const mark = `becoming-${process.pid}-${nth}`
      const env = { ...process.env, [markName]: mark }
      const child = spawn('sh', ['-c', becomes, '8', becomes], { env, detached: true, stdio: 'ignore' })
      const ended = once(child, 'exit')
      await killFamily({ group: null, mark }, 60_000)
      // One that was not found would sleep for minutes.
      const isThere = () => child.exitCode === null && child.signalCode === null
      for (let look = 0; look < 100 && isThere(); look++) await sleep(50)
      const wasMissed = isThere()
      if (wasMissed) child.kill('SIGKILL')
      await ended
      return !wasMissed
    }
    for (let nth = 0; nth < 160; nth += 4)
      expect(await Promise.all([nth, nth + 1, nth + 2, nth + 3].map(endsAtOnce))).toEqual(Array(4).fill(true))
  },
)
