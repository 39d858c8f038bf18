const exactly = new Map<string, string>([
  ['credentials', 'a file of credentials'],
  ['credentials.json', 'a file of credentials'],
  ['.git-credentials', "git's stored passwords"],
  ['.pgpass', 'a file of passwords'],
  ['.htpasswd', 'a file of passwords'],
  ['.vault-token', 'a token'],
  ['.dockercfg', 'credentials of an image registry'],
])

const endings: readonly [RegExp, string][] = [
  [/\.kdbx?$/, 'a password database'],
  [/\.(p12|pfx|jks|keystore)$/, 'a key store'],
  [/\.ppk$/, 'a private key'],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, 'a private key'],
]

// Templates contain no values.
const forOthers = /\.(example|sample|template|tmpl|dist|defaults?|schema)$/

/** The kind of a file whose name alone says that it contains secrets; null for others. */
export function secretName(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const known = exactly.get(name)
  if (known) return known
  if (/^\.env(\.|$)/.test(name)) return forOthers.test(name) ? null : 'environment settings'
  return endings.find(([ending]) => ending.test(name))?.[1] ?? null
}
