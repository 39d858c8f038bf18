import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withItem, without, withServer } from '@farhand/device/bring/allow-list'
import { readBringList, writeBringList } from '@farhand/device/bring/bring-list'
import { findBringable, fullName } from '@farhand/device/bring/find-bringable'
import { type BringableHere, listBringables } from '@farhand/device/bring/list-bringables'
import { readItem } from '@farhand/device/bring/read-item'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathForAgent } from '@farhand/runner/bring/agent-home-paths'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { sizeInWords } from '../../terminal/printing/file-size.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'

export type BringFlags = { state?: unknown; json?: unknown }

const kinds = { instructions: 'instructions', skill: 'skill', command: 'command', server: 'MCP server' }

/** Lists the user's instructions, skills, commands and MCP servers, and which of them go to sandboxes. */
export const bringList = (flags: BringFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { items, unread } = listBringables(readBringList(stateFolderPath(flags.state, context)), context)
    if (flags.json) return context.out(items.map((item) => `${JSON.stringify(asJson(item))}\n`).join(''))
    const { farhand } = context.called
    const say = (text: string) => context.out(wrapWords(text, context.columns))
    if (items.length === 0) context.out('No instructions, skills or MCP servers of yours were found.\n')
    const width = Math.max(...items.map((item) => fullName(item).length))
    const { bold, dim, yellow } = paint(context.color)
    for (const item of items) {
      const mark = item.isChosen ? (item.why.length > 0 ? yellow('✗') : bold('✓')) : ' '
      const called = fullName(item).padEnd(width)
      context.out(`${mark} ${kinds[item.is].padEnd(12)}  ${called}  ${dim(inShort(item))}\n`)
      if (item.isChosen)
        for (const why of item.why) context.out(yellow(`    not brought: ${shownText(why)}\n`))
    }
    for (const file of unread)
      context.out(yellow(`~/${file} cannot be read: its MCP servers are not listed.\n`))
    const isAny = items.some(({ isChosen }) => isChosen)
    if (!isAny && items.length > 0)
      say(
        `\nNothing of this leaves your machine unless you add it: \`${farhand} bring add <path or name>\`\n`,
      )
    if (isAny)
      say(`\n✓ goes to the sandbox of every new run. For one run without: \`${farhand} run --no-bring\`\n`)
  })

function inShort({ why, isChosen, isChanged, secrets, agents, files, bytes }: BringableHere): string {
  if (why.length > 0) return isChosen ? '' : `cannot be brought: ${shownText(why[0]!)}`
  const parts = [
    files > 1 ? `${files} files, ${sizeInWords(bytes)}` : files === 1 ? sizeInWords(bytes) : null,
    agents.length > 5 ? 'for all agents' : agents.length > 0 ? `for ${agents.join(', ')}` : null,
    secrets.length > 0 ? `wants the secret ${secrets.join(' and ')}` : null,
    isChanged ? 'changed since you added it' : null,
  ]
  return parts.filter((part) => part !== null).join('; ')
}

const asJson = ({ server: _, ...item }: BringableHere) => ({ ...item, called: fullName(item) })

/** Brings items to the sandboxes of new runs, if nothing in them looks like a secret. */
export const bringAdd = (names: readonly string[], flags: BringFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = stateFolderPath(flags.state, context)
    let list = readBringList(state)
    const { items } = listBringables(list, context)
    const chosen = names.map((name) => thingCalled(name, items, context))
    // All or none, so that the user knows what was added.
    for (const item of chosen) if (item.why.length > 0) throw keptBack(item, context)
    for (const { is, name, agent, digest } of chosen)
      list = is === 'server' ? withServer(list, name, agent!, digest) : withItem(list, name, digest)
    writeBringList(state, list)
    for (const item of chosen) tellAdded(item, flags, context)
  })

function tellAdded(item: BringableHere, flags: BringFlags, context: CommandContext): void {
  if (flags.json) {
    context.out(`${JSON.stringify({ event: 'added', ...asJson(item) })}\n`)
    return
  }
  context.note(`${fullName(item)} goes to the sandbox of every new run from now on.\n`)
  const { farhand } = context.called
  for (const secret of item.secrets) {
    const scheme = schemeBefore(secret, item)
    const part = scheme === null ? '' : ` (what comes after "${scheme}")`
    context.note(
      `  Its ${secret}${part} stays here. Keep it for a project, once: ${farhand} secret set ${secret}\n`,
    )
  }
}

/** The scheme, such as "Bearer", that stands before a secret in a header. */
function schemeBefore(secret: string, { server }: BringableHere): string | null {
  const entry = server && 'entry' in server.to ? server.to.entry : null
  const headers = entry && entry.type !== 'stdio' ? Object.values(entry.headers) : []
  return headers.find((text) => text.endsWith(` {${secret}}`))?.split(' ')[0] ?? null
}

function keptBack(item: BringableHere, context: CommandContext): Trouble {
  const why = item.why.map(shownText)
  const more = why.length > 5 ? `, and ${why.length - 5} more` : ''
  return new Trouble(
    'failed',
    `${fullName(item)} is not brought: ${why.slice(0, 5).join('; ')}${more}.`,
    item.is === 'server'
      ? `Fix that in the settings of ${item.agent}, and add it again.`
      : `Remove that and add it again; \`${context.called.farhand} bring show ${fullName(item)}\` shows it.`,
  )
}

/** Stops bringing these items. Existing runs keep what they have. */
export const bringRemove = (names: readonly string[], flags: BringFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = stateFolderPath(flags.state, context)
    const list = readBringList(state)
    const items = listBringables(list, context).items.filter(({ isChosen }) => isChosen)
    const chosen = names.map((name) => thingCalled(name, items, context))
    const called = (isServer: boolean) =>
      chosen.filter(({ is }) => (is === 'server') === isServer).map(({ name }) => name)
    writeBringList(state, without(list, called(false), called(true)))
    for (const item of chosen)
      if (flags.json) context.out(`${JSON.stringify({ event: 'removed', ...asJson(item) })}\n`)
      else context.note(`${fullName(item)} stays here. Runs that have it keep it.\n`)
  })

/** Shows what an item contains, where it goes, and why it is not brought. */
export const bringShow = (name: string, flags: BringFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { items } = listBringables(readBringList(stateFolderPath(flags.state, context)), context)
    const item = thingCalled(name, items, context)
    const { to } = item.server ?? {}
    const entry = to && 'entry' in to ? to.entry : null
    const read = item.is === 'server' ? null : readItem({ path: item.name }, context)
    const files =
      read && 'files' in read
        ? read.files.map(({ path, bytes, mode }) => ({ path, size: bytes.length, mode }))
        : []
    const first = files[0]?.path ?? item.name
    const goes = item.agents.map((agent) => ({ agent, to: pathForAgent(agent, first, new Set([first])) }))
    if (flags.json) return context.out(`${JSON.stringify({ ...asJson(item), files, goes, entry })}\n`)
    const { bold, yellow } = paint(context.color)
    context.out(`${bold(fullName(item))}, ${kinds[item.is]}\n`)
    if (entry) context.out(`${JSON.stringify(entry, null, 2)}\n`)
    for (const { path, size, mode } of files)
      context.out(`  ~/${path}  ${sizeInWords(size)}${mode === '755' ? ', can be run' : ''}\n`)
    for (const { agent, to } of goes) context.out(`  ${agent} finds it at ~/${to}\n`)
    for (const why of item.why) context.out(yellow(`  ${shownText(why)}\n`))
    if (item.is === 'instructions' && files.length === 1 && item.place)
      context.out(`\n${shownText(readFileSync(item.place, 'utf8'))}\n`)
  })

function thingCalled(said: string, items: readonly BringableHere[], context: CommandContext): BringableHere {
  const named = findBringable(said, path.resolve(context.cwd, said), items)
  if ('found' in named) return named.found
  if ('many' in named)
    throw new Trouble(
      'usage',
      `${said} could be ${named.many.map(fullName).join(' or ')}.`,
      'Say which, as it is written here.',
    )
  throw new Trouble(
    'usage',
    `No agent reads anything called ${said}.`,
    `\`${context.called.farhand} bring\` lists what there is.`,
  )
}
