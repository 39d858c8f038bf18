import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { dataTrouble } from '@farhand/device/local-hub/data-folder'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { Fault } from '@farhand/protocol/wire/faults'
import { settle } from '../command-line/options/settings.ts'
import type { CommandContext } from '../context/command-context.ts'

type Flags = Readonly<Record<string, unknown>>

/** Adds a user and prints their first token, which cannot be read again. */
export async function addUserCommand(name: string, flags: Flags, context: CommandContext): Promise<void> {
  const { users } = await rooms()
  const { token } = await withStore(flags, context, (db) =>
    users.addUser(db, { name, role: 'member' }, new Date()),
  )
  await showToken(name, token, flags, context)
}

/** Shows one more token for a user; those they have keep working. */
export async function newTokenCommand(name: string, flags: Flags, context: CommandContext): Promise<void> {
  const days = daysIn(flags.days)
  const { tokens } = await rooms()
  const { token } = await withStore(flags, context, (db) =>
    tokens.addToken(db, name, new Date(), 'token', days),
  )
  await showToken(name, token, flags, context)
}

/** Takes away one token of a user, or every one, with their devices and their password. A running hub follows within seconds. */
export async function revokeCommand(name: string, flags: Flags, context: CommandContext): Promise<void> {
  if (flags.token !== undefined) return await revokeOneToken(name, String(flags.token), flags, context)
  const { tokens } = await rooms()
  const { revoked } = await withStore(flags, context, (db) => tokens.revokeTokens(db, name, new Date()))
  if (flags.json) return context.out(`${JSON.stringify({ name, revoked })}\n`)
  const what = revoked === 1 ? '1 token' : `${revoked} tokens`
  context.out(
    `${what} of ${name} revoked, and the password if there was one. \`${context.called.farhand} user token ${name}\` would let them in again.\n`,
  )
}

async function revokeOneToken(
  name: string,
  token: string,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const [{ revokeUserToken }, { idOfUser }] = await Promise.all([
    import('@farhand/hub/access/user-tokens'),
    import('@farhand/hub/access/tokens'),
  ])
  const isRevoked = await withStore(flags, context, async (db) =>
    revokeUserToken(db, await idOfUser(db, name), token, new Date()),
  )
  if (!isRevoked)
    throw new Trouble(
      'usage',
      `${name} has no token ${token}, or it was revoked before.`,
      `\`${context.called.farhand} user tokens ${name}\` lists them with their ids.`,
    )
  if (flags.json) return context.out(`${JSON.stringify({ name, revoked: 1 })}\n`)
  context.out(`The token ${token} of ${name} is revoked.\n`)
}

/** Lists the users of the hub. */
export async function listUsersCommand(flags: Flags, context: CommandContext): Promise<void> {
  const { users } = await rooms()
  const all = await withStore(flags, context, (db) => users.listUsers(db))
  if (flags.json) return context.out(`${JSON.stringify(all)}\n`)
  const width = Math.max(4, ...all.map((user) => user.name.length))
  const row = (name: string, role: string, tokens: string, since: string) =>
    `${name.padEnd(width)}  ${role.padEnd(6)}  ${tokens.padStart(6)}  ${since}\n`
  const rows = all.map((user) => row(user.name, user.role, String(user.tokens), user.createdAt.slice(0, 10)))
  context.out(row('name', 'role', 'tokens', 'since') + rows.join(''))
}

/** How many days a token is valid; null: for ever. */
function daysIn(said: unknown): number | null {
  if (said === undefined) return null
  const days = Number(said)
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days
  throw new Trouble(
    'usage',
    `--days ${String(said)} is no number of days.`,
    'Give a whole number from 1 to 3650.',
  )
}

// Loaded when needed: --help should not load a database driver.
async function rooms() {
  const [users, tokens] = await Promise.all([
    import('@farhand/hub/access/users'),
    import('@farhand/hub/access/tokens'),
  ])
  return { users, tokens }
}

const Where = HubConfig.pick({ data: true, publicUrl: true })

export async function withStore<Result>(
  flags: Flags,
  context: CommandContext,
  work: (db: Parameters<typeof import('@farhand/hub/access/users')['listUsers']>[0]) => Promise<Result>,
): Promise<Result> {
  const data = path.resolve(settle(Where, flags, context.env, `${context.called.hub} --help`).data)
  const file = path.join(data, 'store.sqlite')
  // Opening a missing file would create one, and a typo in --data would look like a hub without users.
  if (!existsSync(file)) {
    throw new Trouble(
      'failed',
      `${data} is not the data folder of a hub.`,
      `Start a hub there first, or say where it is with --data.${ownData(context)}`,
    )
  }
  const { openSqliteStore } = await import('@farhand/hub/store/sqlite-store')
  const store = await openSqliteStore(file).catch((error: unknown) => {
    throw dataTrouble(data, error) ?? error
  })
  try {
    return await work(store.db)
  } catch (error) {
    if (!(error instanceof Fault)) throw dataTrouble(data, error) ?? error
    throw new Trouble(
      'failed',
      `${error.message}.`,
      `\`${context.called.farhand} user list\` shows who is there.`,
      error,
    )
  } finally {
    await store.close()
  }
}

/** A hint at the data of the user's own hub, which `run` has started. */
function ownData(context: CommandContext): string {
  const data = path.join(stateFolderPath(undefined, context), 'hub')
  return existsSync(path.join(data, 'store.sqlite')) ? ` That of your own hub is in ${data}.` : ''
}

async function showToken(name: string, token: string, flags: Flags, context: CommandContext): Promise<void> {
  const url = await hubUrl(flags, context)
  if (flags.json) return context.out(`${JSON.stringify({ name, token, url })}\n`)
  if (url)
    return context.out(`${name} signs in with this link. It is shown only once.\n${url}/#token=${token}\n`)
  context.out(`This is a token for ${name}. It is shown only once.
The hub is not running. Once it is, sign in at
<its address>/#token=${token}
`)
}

/** The address of the hub on this data; null if it does not run: another program may have its port then. */
async function hubUrl(flags: Flags, context: CommandContext): Promise<string | null> {
  const { data, publicUrl } = settle(Where, flags, context.env, `${context.called.hub} --help`)
  try {
    const { url } = JSON.parse(await readFile(path.join(data, 'hub.json'), 'utf8'))
    // A killed hub has left the file, but not the lock.
    const { lockData } = await import('@farhand/hub/store/data-lock')
    const lock = lockData(data)
    if (lock === 'taken') return url
    lock.release()
  } catch {
    // No such file: the hub does not run.
  }
  return publicUrl ?? null
}
