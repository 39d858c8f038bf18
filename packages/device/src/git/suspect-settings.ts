import path from 'node:path'

/** A git setting and the file that contains it; null if it comes from elsewhere. */
export type Setting = { file: string | null; key: string; value: string }

/** Where a run may write: the work tree without its git directories. */
export type Reach = {
  top: string
  gitDirs: readonly string[]
  home: string | undefined
  besides?: readonly string[]
  /** Resolves symlinks in a path. */
  realOf?: (place: string) => string
}

export type Suspects = {
  /** Overriding settings, as key and value. */
  instead: [key: string, value: string][]
  /** The overridden settings, as text. */
  says: string[]
  /** Files of the work tree that git reads settings from. */
  files: string[]
}

/** Parses the output of `git config --list --show-origin --null`. */
export function settingsIn(printed: string, cwd: string): Setting[] {
  const words = printed.split('\0')
  const settings: Setting[] = []
  for (let n = 0; n + 1 < words.length; n += 2) {
    const [origin, entry] = [words[n]!, words[n + 1]!]
    const end = entry.indexOf('\n')
    const file = origin.startsWith('file:') ? path.resolve(cwd, origin.slice('file:'.length)) : null
    settings.push({
      file,
      key: end === -1 ? entry : entry.slice(0, end),
      value: end === -1 ? 'true' : entry.slice(end + 1),
    })
  }
  return settings
}

/**
 * Finds settings that would make git run files that a run may have written: programs inside the work tree, and
 * everything that a settings file in the work tree names (`include.path`). The user's own settings with programs
 * elsewhere are trusted.
 */
export function suspectSettings(settings: readonly Setting[], reach: Reach): Suspects {
  const instead: Suspects['instead'] = []
  const says: string[] = []
  const files = new Set<string>()
  const trusted = new Map<string, string[]>()
  const suspect = new Map<string, string>()
  for (const { file, key, value } of settings) {
    const isFromRun = file !== null && isReached(file, reach)
    if (isFromRun) files.add(path.relative(reach.top, file))
    if (!isProgram(key)) continue
    if (isFromRun || runsFileOf(value, reach)) suspect.set(key, value)
    else trusted.set(key, [...(trusted.get(key) ?? []), value])
  }
  for (const [key, value] of suspect) {
    says.push(`${key} = ${value}`)
    const own = trusted.get(key) ?? []
    // Credential helpers accumulate, and an empty value resets the list; of other settings the last one counts.
    if (/^credential\..*helper$|^credential\.helper$/.test(key))
      instead.push([key, ''], ...own.map((one): [string, string] => [key, one]))
    else instead.push([key, own.at(-1) ?? harmless(key)])
    const filter = /^(filter\..*)\.(?:clean|smudge|process)$/.exec(key)?.[1]
    if (filter !== undefined && own.length === 0) instead.push([`${filter}.required`, 'false'])
  }
  return { instead, says, files: [...files] }
}

const isWithin = (folder: string, place: string) =>
  place === folder || place.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)

const isReached = (place: string, { top, besides = [], gitDirs }: Reach) =>
  [top, ...besides].some((folder) => isWithin(folder, place)) &&
  !gitDirs.some((folder) => isWithin(folder, place))

/** Settings whose value git runs, itself or by a shell. Git writes section and name in lower case. */
const isProgram = (key: string) =>
  /^(?:core\.(?:fsmonitor|sshcommand|askpass|editor|pager|gitproxy|alternaterefscommand)|sequence\.editor|pager\..*|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(?:.*\.)?helper|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|interactive\.difffilter|remote\..*\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|trailer\..*\.(?:command|cmd)|alias\..*|submodule\..*\.update|hook\..*\.command|web\.browser|browser\..*\.cmd)$/.test(
    key,
  )

/** Git's default for the setting. */
function harmless(key: string): string {
  if (key === 'core.fsmonitor') return 'false'
  if (key === 'core.sshcommand') return 'ssh'
  if (key === 'core.pager' || key.startsWith('pager.')) return 'cat'
  if (key === 'core.editor' || key === 'sequence.editor') return ':'
  if (key === 'gpg.ssh.program') return 'ssh-keygen'
  if (key === 'gpg.x509.program') return 'gpgsm'
  if (/^gpg\..*program$|^gpg\.program$/.test(key)) return 'gpg'
  if (/^remote\..*\.uploadpack$/.test(key)) return 'git-upload-pack'
  if (/^remote\..*\.receivepack$/.test(key)) return 'git-receive-pack'
  if (/^submodule\..*\.update$/.test(key)) return 'none'
  return ''
}

// Programs that run a file that is given as an argument, or that lies in their working directory.
const readers = /^(?:env|awk|gawk|exec|command|time|nice|sudo)$/
const shells = /^(?:sh|bash|dash|zsh|ksh|fish|source|\.)$/
const interpreters = /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua)$/
// With these options, interpreters look for modules in their working directory.
const loads: readonly [reader: RegExp, option: RegExp][] = [
  [/^(?:python|pypy)/, /^-[a-zA-Z]*[mc]$/],
  [
    /^(?:node|deno|bun|tsx)$/,
    /^(?:-[erp]|-pe|--(?:eval|print|require|import|loader|experimental-loader|env-file))/,
  ],
  [/^(?:perl|ruby|lua|php)$/, /^-[a-zA-Z]*[rIlM]/],
]
const starters =
  /^(?:npx|npm|pnpm|yarn|make|just|cargo|go|rake|gradle|gradlew|mvn|poetry|pipenv|uv|uvx|bundle|prettier|eslint)$/

/**
 * Whether this command would run a file of the work tree, which is its working directory. As the shell syntax is not
 * parsed, every word that could name such a file counts, and a variable or command substitution could be the work tree.
 */
function runsFileOf(command: string, reach: Reach): boolean {
  const home = reach.home ?? '/'
  const plain = command.replace(/\$(?:HOME\b|\{HOME\})/g, () => home)
  return wordsRunFileOf(plain, reach) || wordsRunFileOf(withPlaces(plain), reach)
}

/** The command with each variable or substitution before a path replaced by the work tree. */
function withPlaces(command: string): string {
  let [before, after] = ['', command]
  // From the inside out, to a limited depth.
  for (let n = 0; n < 8 && before !== after; n++) {
    before = after
    after = before
      .replace(/(?:\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+)(["']?\/)/g, '.$1')
      .replace(/\$\([^()]*\)/g, ' ')
  }
  return after
}

function wordsRunFileOf(command: string, reach: Reach): boolean {
  const words = command
    .replace(/["'\\]/g, '')
    .split(/[\s`;|&()<>{}=!]+/)
    .filter((word) => word !== '')
  let isRead = false
  let reader: string | null = null
  for (const word of words) {
    const name = path.basename(word)
    if (starters.test(name)) return true
    if (reader !== null && word.startsWith('-')) {
      if (loads.some(([one, option]) => one.test(reader!) && option.test(word))) return true
      // What follows is a program text: its words are checked one by one.
      if (/^-[a-z]*[ce]$/.test(word)) reader = null
      continue
    }
    const place = word.startsWith('~/') ? path.join(reach.home ?? '/', word.slice(2)) : word
    const isPath = place.includes('/')
    // A bare name is searched on the PATH, unless it is an argument of an interpreter.
    const couldBe = isPath || reader !== null || (isRead && /\.\w+$/.test(word) && !word.startsWith('-'))
    if (couldBe && leadsInto(path.resolve(reach.top, place), reach)) return true
    reader = shells.test(name) || interpreters.test(name) ? name : null
    if (reader !== null || readers.test(name)) isRead = true
  }
  return false
}

const leadsInto = (place: string, reach: Reach) =>
  isReached(place, reach) || (reach.realOf !== undefined && isReached(reach.realOf(place), reach))
