import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * npm writes a lock without the packages of other systems when the registry it asked did not have them at that
 * moment; `npm ci` then refuses the lock, and on those systems the tools do not start. This puts them back.
 *
 * @typedef {{ version?: string, optional?: boolean, dev?: boolean, os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string> }} Locked
 */

/**
 * The entries that a lock should have and has not.
 * @param {Record<string, Locked>} packages
 * @returns {Record<string, Locked>}
 */
export function missingFromLock(packages) {
  /** @type {Record<string, Locked>} */
  const missing = {}
  for (const owner of Object.values(packages)) {
    for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
      const at = `node_modules/${name}`
      // A range cannot be turned into an entry; the packages we mean are pinned by the one that needs them.
      if (at in packages || !/^\d+\.\d+\.\d+/.test(version)) continue
      const { cpu, os, libc } = systemOf(name)
      // In npm's own order, or its next install would shuffle the file.
      missing[at] = withoutEmpty({ version, cpu, dev: owner.dev, libc, optional: true, os })
    }
  }
  return missing
}

const systems = {
  os: ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'],
  cpu: ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'],
}

/** What a name like `binding-linux-arm64-musl` says about the systems it is for. @param {string} name */
function systemOf(name) {
  const parts = (name.split('/').at(-1) ?? '').split('-')
  const libc = parts.flatMap((part) =>
    part.startsWith('musl') ? ['musl'] : part.startsWith('gnu') ? ['glibc'] : [],
  )
  const [os, cpu] = [systems.os, systems.cpu].map((known) => parts.filter((part) => known.includes(part)))
  return { os, cpu, libc }
}

/** @param {object} entry @returns {Locked} */
const withoutEmpty = (entry) =>
  Object.fromEntries(
    Object.entries(entry).filter(
      ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
    ),
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingFromLock(lock.packages)
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
  process.stdout.write(`${Object.keys(missing).length} entries added to package-lock.json\n`)
}
