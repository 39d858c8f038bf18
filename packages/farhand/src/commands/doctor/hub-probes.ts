import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { SandboxFacts } from '@farhand/device/self-check/judge'
import { kernelSetting } from '@farhand/device/self-check/probes'
import { missingPackage } from '@farhand/device/trouble/missing-package'

/** Opens a database in a temporary folder; null if that works, else the error. */
export async function lookAtDatabase(): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-doctor-'))
  try {
    const { openSqliteStore } = await import('@farhand/hub/store/sqlite-store')
    await (await openSqliteStore(path.join(folder, 'store.sqlite'))).close()
    return null
  } catch (error) {
    return missingPackage(error)?.message ?? String((error as Error).message)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Tries to start a sandbox, as a hub on this machine would. */
export async function lookAtSandbox(): Promise<SandboxFacts> {
  const { BubblewrapSandboxHost } = await import('@farhand/hub/sandboxes/bubblewrap-sandbox-host')
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-doctor-'))
  try {
    const host = new BubblewrapSandboxHost({ folder, secret: [] })
    return {
      unusable: await host.unusable(),
      strength: await host.strength(),
      kernel: await kernelSettings(),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const settings = [
  'kernel.apparmor_restrict_unprivileged_userns',
  'kernel.unprivileged_userns_clone',
  'user.max_user_namespaces',
]

async function kernelSettings(): Promise<Record<string, string>> {
  const read = settings.map(async (name) => [name, (await kernelSetting(name)) ?? 'none'] as const)
  return Object.fromEntries(await Promise.all(read))
}
