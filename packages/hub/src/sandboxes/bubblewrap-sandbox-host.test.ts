import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { possibleModes } from './bubblewrap-mode.ts'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import { sandboxHostContract } from './sandbox-host.contract.ts'
import { shellSpec } from './shell-spec-under-test.ts'
import { startBubblewrap } from './start-bubblewrap.ts'
import { SupervisedSandboxes } from './supervised-sandboxes.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'farhand-bubblewrap-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const options = { folder, secret: [] }
const unusable = await new BubblewrapSandboxHost(options).unusable()
// Nothing is called after tests of which none runs.
if (unusable) rmSync(folder, { recursive: true })

describe.skipIf(unusable)('a bubblewrap sandbox', () => {
  sandboxHostContract({
    open: () => new BubblewrapSandboxHost(options),
    folder,
    source: {
      imports: `import { BubblewrapSandboxHost } from ${JSON.stringify(new URL('./bubblewrap-sandbox-host.ts', import.meta.url).href)}`,
      make: `new BubblewrapSandboxHost(${JSON.stringify(options)})`,
    },
  })

  it('removes what a hub left behind that was killed while it tried them out, and nothing of one that still tries', async () => {
    const { pid: dead } = spawnSync('true')
    const [left, used] = [dead, process.pid].map((pid) =>
      mkdtempSync(path.join(tmpdir(), `farhand-trial-${pid}-`)),
    ) as [string, string]
    onTestFinished(() => rmSync(used, { recursive: true }))
    writeFileSync(path.join(left, 'disk.image'), '')
    await new BubblewrapSandboxHost(options).unusable()
    expect([left, used].map((one) => existsSync(one))).toEqual([false, true])
  })

  it.each(unusable ? [] : possibleModes(process.getuid!(), readFileSync('/proc/self/uid_map', 'utf8')))(
    'has no more disk than it was given ($user user, disk in $disk)',
    async (means) => {
      const sandboxes = new SupervisedSandboxes('test', folder)
      const filling = () =>
        'dd if=/dev/zero of=/workspace/big bs=1M count=20 2>&1 | grep -o "No space.*"; id -u'
      const limits = { memoryMb: 256, processes: 50, cpus: 1, diskMb: 16 }
      const spec = shellSpec(folder, filling, { limits, network: 'sockets-only' })
      await startBubblewrap(sandboxes, spec, means, [])
      const { lastWords } = await sandboxes.ended(spec.id)
      await sandboxes.remove(spec.id)
      expect(lastWords).toMatch(/^No space left on device\n[1-9]\d{3,}\n$/)
    },
  )
})
