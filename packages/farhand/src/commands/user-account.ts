import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../context/command-context.ts'
import { shownText } from '../terminal/printing/shown-text.ts'
import { pipedText } from '../terminal/prompts/piped-text.ts'
import { withStore } from './user.ts'

type Flags = Readonly<Record<string, unknown>>

/** Sets the password of a user, or takes it away. Works beside a running hub. */
export async function passwordCommand(name: string, flags: Flags, context: CommandContext): Promise<void> {
  const [{ PasswordHasher }, passwords, { idOfUser }] = await Promise.all([
    import('@farhand/hub/access/passwords/password-hasher'),
    import('@farhand/hub/access/user-password'),
    import('@farhand/hub/access/tokens'),
  ])
  // Before the password is asked for: the name may be wrong.
  const user = await withStore(flags, context, (db) => idOfUser(db, name))
  if (flags.remove) {
    const wasThere = await withStore(flags, context, (db) => passwords.removePassword(db, user))
    if (flags.json) return context.out(`${JSON.stringify({ name, removed: wasThere })}\n`)
    return context.out(wasThere ? `${name} has no password any more.\n` : `${name} had no password.\n`)
  }
  const password = await newPassword(name, context)
  if (password === null) return
  const hasher = new PasswordHasher()
  try {
    await withStore(flags, context, (db) => passwords.setPassword(db, hasher, user, password, new Date()))
  } finally {
    await hasher.close()
  }
  if (flags.json) return context.out(`${JSON.stringify({ name, set: true })}\n`)
  context.out(`The password of ${name} is set. It binds devices and signs in browsers.\n`)
}

/** Typed twice where it is not shown, or piped in. It is never an argument: every user of the machine could read that. */
async function newPassword(name: string, context: CommandContext): Promise<string | null> {
  const { askHidden, stop, called } = context
  if (!askHidden) {
    const piped = await pipedText(context)
    if (piped === null || piped) return piped
    throw new Trouble(
      'usage',
      'There is no terminal to ask for the password.',
      `Pipe it in: ${called.farhand} user password ${name} < file`,
    )
  }
  const first = await askHidden(`New password of ${name} (it is not shown): `, stop)
  if (first === null) return null
  const second = await askHidden('The same again: ', stop)
  if (second === null || second === first) return second
  throw new Trouble('usage', 'These were two different passwords.', 'Nothing was changed: try again.')
}

/** Lists the tokens of a user. Their text cannot be shown: the hub does not have it. */
export async function tokensCommand(name: string, flags: Flags, context: CommandContext): Promise<void> {
  const [{ listUserTokens }, { idOfUser }] = await Promise.all([
    import('@farhand/hub/access/user-tokens'),
    import('@farhand/hub/access/tokens'),
  ])
  const tokens = await withStore(flags, context, async (db) =>
    listUserTokens(db, await idOfUser(db, name), null),
  )
  if (flags.json) {
    const rows = tokens.map(({ isThis: _, ...token }) => token)
    return context.out(`${JSON.stringify(rows)}\n`)
  }
  if (tokens.length === 0) return context.out(`${name} has no tokens.\n`)
  const width = Math.max(4, ...tokens.map((token) => token.name.length))
  const day = (time: string | null) => (time === null ? 'never' : time.slice(0, 10)).padEnd(10)
  const row = (what: string, made: string, used: string, expires: string, id: string) =>
    `${what.padEnd(width)}  ${made}  ${used}  ${expires}  ${id}\n`
  context.out(row('name', 'made      ', 'last used ', 'expires   ', 'id'))
  for (const { id, name: what, createdAt, lastUsedAt, expiresAt } of tokens)
    context.out(row(shownText(what), day(createdAt), day(lastUsedAt), day(expiresAt), id))
}
