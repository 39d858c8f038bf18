import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Packages from npm to install in exactly these versions, which are no dependencies of this repository. */
export type Installable = { id: string; packages: Readonly<Record<string, string>> }

/** The folder of such programs in a clone. */
export const agentsFolder = fileURLToPath(new URL('../../../../.cache/agents', import.meta.url))

/** The folder of an installed program; each version and each system has its own. */
export function installedAt({ id, packages }: Installable, folder = agentsFolder): string {
  const what = JSON.stringify([packages, process.platform, process.arch])
  return path.join(folder, `${id}-${createHash('sha256').update(what).digest('hex').slice(0, 8)}`)
}

/** Whether all its packages are installed; true for a program without packages. */
export function isInstalled(wanted: Installable, folder = agentsFolder): boolean {
  const installed = installedAt(wanted, folder)
  return Object.entries(wanted.packages).every(([name, version]) => versionIn(installed, name) === version)
}

function versionIn(installed: string, name: string): unknown {
  try {
    const manifest = readFileSync(path.join(installed, 'node_modules', name, 'package.json'), 'utf8')
    return JSON.parse(manifest).version
  } catch {
    return null
  }
}
