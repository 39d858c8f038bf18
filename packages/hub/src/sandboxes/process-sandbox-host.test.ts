import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ProcessSandboxHost } from './process-sandbox-host.ts'
import { sandboxHostContract } from './sandbox-host.contract.ts'
import { shellSpec } from './shell-spec-under-test.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'farhand-processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const options = { folder, path: '/usr/local/bin:/usr/bin:/bin' }

describe('a sandbox of plain processes', () => {
  sandboxHostContract({
    open: () => new ProcessSandboxHost(options),
    folder,
    source: {
      imports: `import { ProcessSandboxHost } from ${JSON.stringify(new URL('./process-sandbox-host.ts', import.meta.url).href)}`,
      make: `new ProcessSandboxHost(${JSON.stringify(options)})`,
    },
  })

  it('refuses what it cannot enforce, with a way out', async () => {
    const host = new ProcessSandboxHost(options)
    const spec = shellSpec(folder, () => '', { network: 'door' })
    await expect(host.start(spec)).rejects.toThrow(/network: full/)
    expect(host.isolates).toBe(false)
    expect(await host.list()).toEqual([])
  })
})
