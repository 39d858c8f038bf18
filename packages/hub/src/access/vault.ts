import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ListedSecret, type NewSecret, secretLimits } from '@farhand/protocol/schemas/secrets'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import {
  forgetSecret,
  keepSecret,
  listSecrets,
  resealSecrets,
  type SecretRow,
  sealedSecrets,
} from '../store/secrets.ts'
import type { Db } from '../store/tables.ts'
import { isForRemote } from './is-for-remote.ts'
import { type SealingKey, seal, sealingKey, unseal } from './sealed.ts'
import { keyFile } from './secret.ts'

export type GitCredential = { username: string; password: string }

const keyBytes = 32

/** The username to send with a token if none was given; many servers accept any name. */
const anyName = 'x-access-token'

/** The secrets of projects. Their values are only given to sandboxes and to git remotes. */
export class Vault {
  readonly #db: Db
  readonly #key: SealingKey

  constructor(db: Db, key: SealingKey) {
    this.#db = db
    this.#key = key
  }

  /** Stores a secret under this name, replacing an earlier one. Its errors never contain the value. */
  async keep(project: ProjectId, name: string, secret: NewSecret, now: Date): Promise<ListedSecret> {
    const { value, kind = 'env', username } = secret
    if (Buffer.byteLength(value) > secretLimits.valueBytes)
      throw new Fault('request.too-large', `value: a secret may have ${secretLimits.valueBytes} bytes`)
    if (!value.isWellFormed() || value.includes('\0'))
      throw malformed('value', 'no variable can hold a NUL, or half a character')
    if (kind === 'git' && secret.remote === undefined)
      throw malformed('remote', 'a git secret is for the addresses that begin so')
    // The remote is stored unencrypted, for lists.
    if (secret.remote !== undefined && hasCredential(secret.remote))
      throw malformed('remote', 'must have no name and no password in it; say the username apart')
    if (kind === 'env' && (secret.remote ?? username) !== undefined)
      throw malformed('remote', 'only a git secret has one, and a username')
    const remote = secret.remote ?? null
    const whole = kind === 'git' ? JSON.stringify({ username: username ?? anyName, password: value }) : value
    const row = { project, name, kind, remote, keyId: this.#key.id }
    const sealed = seal(this.#key, wordsOf(row), whole)
    const kept = await keepSecret(this.#db, { ...row, sealed }, secretLimits.perProject, now)
    if (kept) return kept
    throw malformed('name', `a project may have ${secretLimits.perProject} secrets; delete one first`)
  }

  list(project: ProjectId): Promise<ListedSecret[]> {
    return listSecrets(this.#db, project)
  }

  async forget(project: ProjectId, name: string): Promise<void> {
    if (!(await forgetSecret(this.#db, project, name))) throw unknown([name])
  }

  /** The values of these secrets by name, for the environment of a run; throws if one is missing or cannot be opened. */
  async secretsFor(project: ProjectId, names: readonly string[]): Promise<Record<string, string>> {
    if (names.length === 0) return {}
    const rows = await sealedSecrets(this.#db, { project })
    const wanted = rows.filter(({ name }) => names.includes(name))
    const missing = names.filter((name) => !wanted.some((row) => row.name === name))
    if (missing.length > 0) throw unknown(missing)
    const git = wanted.find(({ kind }) => kind === 'git')
    if (git) throw malformed('terms.secrets', `${git.name} is a credential for git, which no run is given`)
    return Object.fromEntries(wanted.map((row) => [row.name, this.#open(row)]))
  }

  /** The credential for this address of a remote; of several, the one with the most specific address. */
  async credentialFor(project: ProjectId, address: string): Promise<GitCredential | null> {
    const rows = await sealedSecrets(this.#db, { project, kind: 'git' })
    const fitting = rows.filter(({ remote }) => remote !== null && isForRemote(remote, address))
    const [best] = fitting.sort((a, b) => b.remote!.length - a.remote!.length)
    return best ? (JSON.parse(this.#open(best)) as GitCredential) : null
  }

  #open(row: SecretRow): string {
    if (row.keyId !== this.#key.id)
      throw new Fault(
        'secret.locked',
        `${row.name} was sealed with the key ${row.keyId}, and this hub has the key ${this.#key.id}; start it with the FARHAND_SECRETS_KEY of then, or set ${row.name} again`,
      )
    try {
      return unseal(this.#key, wordsOf(row), row.sealed)
    } catch (cause) {
      throw new Fault('secret.locked', `${row.name} was changed where it is stored; set it again`, { cause })
    }
  }
}

/**
 * Opens the secrets of a hub with the operator's key, or else with a key in the data folder. If the operator sets a key later, the
 * secrets are encrypted again with that key, and the key in the folder is removed.
 */
export async function openVault(data: string, db: Db, operators: string | undefined): Promise<Vault> {
  const path = join(data, 'secrets-key')
  if (operators === undefined) {
    const key = await keyFile(path, randomBytes(keyBytes))
    // An attacker could derive the key from an empty file.
    if (key.length < keyBytes)
      throw new Error(
        `The file "secrets-key" in the data folder is damaged: it must have ${keyBytes} bytes. Put a copy of it back, or delete it: the secrets of projects have to be set again then, and all else works.`,
      )
    return new Vault(db, sealingKey(key))
  }
  const key = sealingKey(operators)
  const own = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  if (own !== null) {
    const before = sealingKey(own)
    const rows = await sealedSecrets(db, { keyId: before.id })
    await resealSecrets(
      db,
      rows.flatMap((row) => sealedAnew(row, before, key)),
    )
    await rm(path)
  }
  return new Vault(db, key)
}

/** The secret encrypted with the new key. Empty if the stored value is damaged: it is left alone, and reading it reports that. */
function sealedAnew(row: SecretRow, before: SealingKey, key: SealingKey): SecretRow[] {
  try {
    const value = unseal(before, wordsOf(row), row.sealed)
    return [{ ...row, keyId: key.id, sealed: seal(key, wordsOf(row), value) }]
  } catch {
    return []
  }
}

function hasCredential(address: string): boolean {
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

/** What a sealed value is bound to, so that it cannot be opened under another project, name, kind or remote. */
const wordsOf = ({
  project,
  name,
  kind,
  remote,
}: Pick<SecretRow, 'project' | 'name' | 'kind' | 'remote'>) => [project, name, kind, remote ?? '']

function unknown(names: readonly string[]): Fault {
  const what = names.length === 1 ? 'secret' : 'secrets'
  return new Fault('secret.unknown', `this project has no ${what} ${names.join(', ')}`, { field: 'secrets' })
}
