import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { asOrdinaryUser } from '@farhand/testkit/as-ordinary-user'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { ProcessSandboxHost } from './process-sandbox-host.ts'
import { sandboxHostContract } from './sandbox-host.contract.ts'
import { shellSpec } from './shell-spec-under-test.ts'
import { removeStubborn } from './stubborn-under-test.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'farhand-processes-'))
chmodSync(folder, 0o755)
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

  it('refuses limits that it cannot enforce, and says what to do', async () => {
    const host = new ProcessSandboxHost(options)
    const spec = shellSpec(folder, () => '', { network: 'sockets-only' })
    await expect(host.start(spec)).rejects.toThrow(/network: full/)
    expect(host.isolates).toBe(false)
    expect(await host.list()).toEqual([])
  })

  it('is removed also if one of its processes makes its folder again until it is killed', async () => {
    const root = mkdtempSync(path.join(folder, 'again-'))
    const host = new ProcessSandboxHost({ ...options, folder: root })
    const again = (own: string) => `while :; do mkdir -p ${own}/state; echo x > ${own}/state/late; done`
    const spec = shellSpec(root, ({ state }) => again(path.dirname(state)))
    await host.start(spec)
    const late = path.join(root, spec.id, 'state/late')
    await vi.waitFor(() => expect(existsSync(late)).toBe(true), 60_000)
    await host.remove(spec.id)
    // The sockets are the placement's.
    expect(readdirSync(root)).toEqual(['doors'])
  })

  const source = new URL('./stubborn-under-test.ts', import.meta.url)
  const placeIn = () => mkdtempSync(path.join(folder, 'stubborn-'))
  it.each([
    { who: 'the user that runs the tests', remove: () => removeStubborn(placeIn()) },
    ...(process.getuid?.() === 0
      ? [{ who: 'an ordinary user', remove: () => asOrdinaryUser(source, 'removeStubborn', placeIn()) }]
      : []),
  ])('of $who is removed, even if its processes made files that are hard to remove', async ({ remove }) => {
    expect(await remove()).toEqual({ made: ['d'.repeat(200), 'shut'], left: [] })
  })
})
