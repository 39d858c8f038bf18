import path from 'node:path'

/** A setting of git, and the file that it stands in; null where it was given otherwise. */
export type Setting = { file: string | null; key: string; value: string }

/** Where a run may write: the work tree, without the folders in which git itself keeps what it keeps. */
export type Reach = {
  top: string
  gitDirs: readonly string[]
  home: string | undefined
  /** Other work trees of the same repository: other runs may write there. */
  besides?: readonly string[]
  /** Where a path leads if there are links on its way; the path itself if none is known. */
  realOf?: (place: string) => string
}

export type Suspects = {
  /** Settings, as key and value, under which none of these programs is run. */
  instead: [key: string, value: string][]
  /** What was set aside, in words. */
  says: string[]
  /** Files of the work tree that git reads settings from, from the top of it. */
  files: string[]
}

/** Reads `git config --list --show-origin --null`. */
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
 * The settings by which git would run what a run may have written: programs that lie in the work tree, and whatever a file
 * of settings there names (`include.path`). Settings of the user's own, and their programs elsewhere, are theirs.
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
    // Helpers add up, and an empty one forgets those before it; of all others the last one counts.
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

/** Settings whose value git starts, or has a shell start. Git writes section and name in lower case. */
const isProgram = (key: string) =>
  /^(?:core\.(?:fsmonitor|sshcommand|askpass|editor|pager|gitproxy|alternaterefscommand)|sequence\.editor|pager\..*|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(?:.*\.)?helper|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|interactive\.difffilter|remote\..*\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|trailer\..*\.(?:command|cmd)|alias\..*|submodule\..*\.update|hook\..*\.command|web\.browser|browser\..*\.cmd)$/.test(
    key,
  )

/** What git does without the setting, as the setting itself. */
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

// Programs that run what a file says which they are given, or which lies in the folder that they are started in.
const readers = /^(?:env|awk|gawk|exec|command|time|nice|sudo)$/
const shells = /^(?:sh|bash|dash|zsh|ksh|fish|source|\.)$/
const interpreters = /^(?:node|deno|bun|tsx|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua)$/
// Told to load a module, or given a program in words that may, these look for it in the folder that they are started in.
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
 * Whether this command would run a file of the work tree, in which git starts it. Without a shell's own understanding of it
 * every word that could name such a file counts, and what a shell puts in place of a variable or a command could be the
 * work tree.
 */
function runsFileOf(command: string, reach: Reach): boolean {
  const home = reach.home ?? '/'
  const plain = command.replace(/\$(?:HOME\b|\{HOME\})/g, () => home)
  return wordsRunFileOf(plain, reach) || wordsRunFileOf(withPlaces(plain), reach)
}

/** The command where each variable, or command in a command, that a path follows stands for the work tree. */
function withPlaces(command: string): string {
  let [before, after] = ['', command]
  // From the inside out, and never deeper than anybody would write.
  for (let n = 0; n < 8 && before !== after; n++) {
    before = after
    after = before
      .replace(/(?:\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+)(["']?\/)/g, '.$1')
      .replace(/\$\([^()]*\)/g, ' ')
  }
  return after
}

function wordsRunFileOf(command: string, reach: Reach): boolean {
  // A quote may end in the middle of a word.
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
      // What follows is a program by itself, and its words are looked at as such.
      if (/^-[a-z]*[ce]$/.test(word)) reader = null
      continue
    }
    const place = word.startsWith('~/') ? path.join(reach.home ?? '/', word.slice(2)) : word
    const isPath = place.includes('/')
    // A bare name is looked for on the PATH, unless a reader is given it.
    const couldBe = isPath || reader !== null || (isRead && /\.\w+$/.test(word) && !word.startsWith('-'))
    if (couldBe && leadsInto(path.resolve(reach.top, place), reach)) return true
    reader = shells.test(name) || interpreters.test(name) ? name : null
    if (reader !== null || readers.test(name)) isRead = true
  }
  return false
}

const leadsInto = (place: string, reach: Reach) =>
  isReached(place, reach) || (reach.realOf !== undefined && isReached(reach.realOf(place), reach))
