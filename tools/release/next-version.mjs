const semver = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/

/** @param {string} version */
function parsed(version) {
  const [, major, minor, patch, before] = semver.exec(version) ?? []
  if (major === undefined) throw new Error(`${version} is no version. Say one like 1.2.3, or 1.2.3-beta.1.`)
  return { numbers: [major, minor, patch].map(Number), before: before?.split('.') ?? null }
}

/**
 * Whether one version comes before another one, as semantic versioning has it.
 * @param {string} one
 * @param {string} other
 */
export function isOlder(one, other) {
  const [a, b] = [parsed(one), parsed(other)]
  for (const [at, number] of a.numbers.entries())
    if (number !== b.numbers[at]) return number < (b.numbers[at] ?? 0)
  if (a.before === null || b.before === null) return a.before !== null && b.before === null
  for (const [at, part] of a.before.entries()) {
    const with_ = b.before[at]
    if (with_ === undefined) return false
    if (part === with_) continue
    const [x, y] = [Number(part), Number(with_)]
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(y)
    return Number.isNaN(x) ? part < with_ : x < y
  }
  return a.before.length < b.before.length
}

/**
 * A changelog in which what was unreleased is that of a version, and nothing is unreleased.
 * @param {string} changelog
 * @param {string} version
 * @param {string} day as 2026-11-30
 */
export function changelogWith(changelog, version, day) {
  const [head, ...rest] = changelog.split(/^## /m)
  const at = rest.findIndex((section) => /^unreleased\s*$/im.test(section.split('\n')[0] ?? ''))
  if (at === -1) throw new Error('CHANGELOG.md has no section "## Unreleased".')
  const changes = (rest[at] ?? '').split('\n').slice(1).join('\n').trim()
  if (changes === '')
    throw new Error('CHANGELOG.md has nothing under "## Unreleased": write there what users will notice.')
  if (rest.some((section) => section.split(/\s/)[0] === version))
    throw new Error(`CHANGELOG.md already has a section for ${version}.`)
  const sections = [`Unreleased\n\n`, `${version} - ${day}\n\n${changes}\n\n`, ...rest.toSpliced(at, 1)]
  return `${[head, ...sections].join('## ').trimEnd()}\n`
}

/**
 * A manifest, or a lock file, in which everything of ours has this version.
 * @param {string} text
 * @param {string} version
 */
export function manifestWith(text, version) {
  const manifest = JSON.parse(text)
  manifest.version = version
  for (const [place, entry] of Object.entries(manifest.packages ?? {}))
    if ((place === '' || place.startsWith('packages/')) && entry.version) entry.version = version
  return `${JSON.stringify(manifest, null, 2)}\n`
}
