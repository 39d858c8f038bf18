/** A git setting as `git config --list -z` prints it: the name in lower case, except its middle part. */
export type Setting = { name: string; value: string | null }

// Only these: other settings name programs, which another user's repository must not bring along, or hold
// credentials.
const kept = [
  /^core\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode|sparsecheckout|sparsecheckoutcone|quotepath|whitespace|commentchar|logallrefupdates)$/,
  /^user\.(name|email)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|mirror|skipdefaultupdate)$/,
  /^branch\..+\.(remote|merge|pushremote|rebase|description|vscode-merge-base)$/,
  /^submodule\..+\.(url|active|branch|update|ignore)$/,
  /^(push\.(default|autosetupremote)|pull\.(rebase|ff)|rebase\.(autosquash|autostash)|merge\.(conflictstyle|ff)|init\.defaultbranch)$/,
]
const isUrl = /\.(url|pushurl)$/

/** The git settings that travel with a run, as the text of a `config` file: no credentials, no commands. */
export function configToKeep(settings: Iterable<Setting>): string {
  const sections = new Map<string, string[]>([
    ['[core]', ['\trepositoryformatversion = 0', '\tbare = false']],
  ])
  for (const { name, value } of settings) {
    if (!kept.some((shape) => shape.test(name)) || runsSomething(name, value)) continue
    const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
    const middle = first < last ? name.slice(first + 1, last) : null
    if (middle?.includes('\n')) continue
    const head =
      middle === null
        ? `[${name.slice(0, first)}]`
        : `[${name.slice(0, first)} "${middle.replace(/[\\"]/g, '\\$&')}"]`
    const said = value !== null && isUrl.test(name) ? withoutCredentials(value) : value
    const lines = sections.get(head) ?? []
    lines.push(said === null ? `\t${name.slice(last + 1)}` : `\t${name.slice(last + 1)} = ${quoted(said)}`)
    sections.set(head, lines)
  }
  return [...sections].map(([head, lines]) => `${head}\n${lines.join('\n')}\n`).join('')
}

/** A URL without user and password; text that is not a URL stays as it is. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i, (_, scheme: string, user: string) =>
    // The user of an SSH URL is the same for all users and no secret.
    /^(git\+)?ssh:/i.test(scheme) && !user.includes(':') ? `${scheme}${user}@` : scheme,
  )
}

/** Parses the output of `git config --list -z`. */
export function settingsIn(listed: string): Setting[] {
  return listed
    .split('\0')
    .slice(0, -1)
    .map((one) => {
      const end = one.indexOf('\n')
      return end === -1 ? { name: one, value: null } : { name: one.slice(0, end), value: one.slice(end + 1) }
    })
}

// A submodule's `update` may be a command, and an `ext::` URL is one.
const runsSomething = (name: string, value: string | null) =>
  (name.startsWith('submodule.') && value?.startsWith('!')) ||
  (isUrl.test(name) && /^ext::/i.test(value ?? ''))

const quoted = (value: string) =>
  `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
