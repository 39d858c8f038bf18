import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe } from 'vitest'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import { sandboxHostContract } from './sandbox-host.contract.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'farhand-bubblewrap-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const options = { folder, secret: [] }
const unusable = await new BubblewrapSandboxHost(options).unusable()

describe.skipIf(unusable)('a bubblewrap sandbox', () => {
  sandboxHostContract({
    open: () => new BubblewrapSandboxHost(options),
    folder,
    source: {
      imports: `import { BubblewrapSandboxHost } from ${JSON.stringify(new URL('./bubblewrap-sandbox-host.ts', import.meta.url).href)}`,
      make: `new BubblewrapSandboxHost(${JSON.stringify(options)})`,
    },
  })
})
