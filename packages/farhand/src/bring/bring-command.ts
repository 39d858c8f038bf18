import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withItem, without, withServer } from '@farhand/device/bring/allow-list'
import { readItem } from '@farhand/device/bring/read-item'
import { whereItGoes } from '@farhand/runner/bring/agent-home-paths'
import { statePlace } from '../context/state-place.ts'
import type { World } from '../context/world.ts'
import { Trouble } from '../errors/trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { sizeInWords } from '../printing/file-size.ts'
import { paint } from '../printing/paint.ts'
import { shownText } from '../printing/shown-text.ts'
import { wrapWords } from '../printing/wrap-words.ts'
import { readKeptList, writeKeptList } from './bring-list.ts'
import { calledExactly, thingNamed } from './find-bringable.ts'
import { homeOf, type ThingHere, thingsHere } from './list-bringables.ts'

export type BringFlags = { state?: unknown; json?: unknown }

const kinds = { instructions: 'instructions', skill: 'skill', command: 'command', server: 'MCP server' }

/** Lists what agents are set up with here, and what of it goes to sandboxes. */
export const bringList = (flags: BringFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const { things, unread } = thingsHere(readKeptList(statePlace(flags.state, world)), world)
    if (flags.json) return world.out(things.map((thing) => `${JSON.stringify(asJson(thing))}\n`).join(''))
    const { farhand } = world.called
    const say = (text: string) => world.out(wrapWords(text, world.columns))
    if (things.length === 0) world.out('There are no instructions, skills or MCP servers of yours here.\n')
    const width = Math.max(...things.map((thing) => calledExactly(thing).length))
    const { bold, dim, yellow } = paint(world.color)
    for (const thing of things) {
      const mark = thing.isChosen ? (thing.why.length > 0 ? yellow('✗') : bold('✓')) : ' '
      const called = calledExactly(thing).padEnd(width)
      world.out(`${mark} ${kinds[thing.is].padEnd(12)}  ${called}  ${dim(inShort(thing))}\n`)
      if (thing.isChosen)
        for (const why of thing.why) world.out(yellow(`    stays here: ${shownText(why)}\n`))
    }
    for (const file of unread)
      world.out(yellow(`~/${file} cannot be read: its MCP servers are not listed.\n`))
    const isAny = things.some(({ isChosen }) => isChosen)
    if (!isAny && things.length > 0)
      say(`\nNothing of this leaves your machine until you say so: \`${farhand} bring add <path or name>\`\n`)
    if (isAny)
      say(`\n✓ goes to the sandbox of every new run. For one run without: \`${farhand} run --no-bring\`\n`)
  })

function inShort({ why, isChosen, isChanged, secrets, agents, files, bytes }: ThingHere): string {
  if (why.length > 0) return isChosen ? '' : `cannot be brought: ${shownText(why[0]!)}`
  const parts = [
    files > 1 ? `${files} files, ${sizeInWords(bytes)}` : files === 1 ? sizeInWords(bytes) : null,
    agents.length > 5 ? 'for all agents' : agents.length > 0 ? `for ${agents.join(', ')}` : null,
    secrets.length > 0 ? `wants the secret ${secrets.join(' and ')}` : null,
    isChanged ? 'changed since you added it' : null,
  ]
  return parts.filter((part) => part !== null).join('; ')
}

const asJson = ({ server: _, ...thing }: ThingHere) => ({ ...thing, called: calledExactly(thing) })

/** Has things go to the sandboxes of new runs, each if nothing in it looks like a secret. */
export const bringAdd = (names: readonly string[], flags: BringFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const state = statePlace(flags.state, world)
    let list = readKeptList(state)
    const { things } = thingsHere(list, world)
    const chosen = names.map((name) => thingCalled(name, things, world))
    // All or none: whoever named two does not have to find out which one it was.
    for (const thing of chosen) if (thing.why.length > 0) throw keptBack(thing, world)
    for (const { is, name, agent, digest } of chosen)
      list = is === 'server' ? withServer(list, name, agent!, digest) : withItem(list, name, digest)
    writeKeptList(state, list)
    for (const thing of chosen) tellAdded(thing, flags, world)
  })

function tellAdded(thing: ThingHere, flags: BringFlags, world: World): void {
  if (flags.json) {
    world.out(`${JSON.stringify({ event: 'added', ...asJson(thing) })}\n`)
    return
  }
  world.note(`${calledExactly(thing)} goes to the sandbox of every new run from now on.\n`)
  const { farhand } = world.called
  for (const secret of thing.secrets) {
    const scheme = schemeBefore(secret, thing)
    const part = scheme === null ? '' : ` (what comes after "${scheme}")`
    world.note(
      `  Its ${secret}${part} stays here. Keep it for a project, once: ${farhand} secret set ${secret}\n`,
    )
  }
}

/** The word that is in a header before a secret, and no part of it. */
function schemeBefore(secret: string, { server }: ThingHere): string | null {
  const entry = server && 'entry' in server.to ? server.to.entry : null
  const headers = entry && entry.type !== 'stdio' ? Object.values(entry.headers) : []
  return headers.find((text) => text.endsWith(` {${secret}}`))?.split(' ')[0] ?? null
}

function keptBack(thing: ThingHere, world: World): Trouble {
  const why = thing.why.map(shownText)
  const more = why.length > 5 ? `, and ${why.length - 5} more` : ''
  return new Trouble(
    'failed',
    `${calledExactly(thing)} is not brought: ${why.slice(0, 5).join('; ')}${more}.`,
    thing.is === 'server'
      ? `Mend that in the settings of ${thing.agent}, and add it again.`
      : `Take that out and add it again; \`${world.called.farhand} bring show ${calledExactly(thing)}\` shows it.`,
  )
}

/** Has things stay here from now on. Runs that there are keep what they have. */
export const bringRemove = (names: readonly string[], flags: BringFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const state = statePlace(flags.state, world)
    const list = readKeptList(state)
    const things = thingsHere(list, world).things.filter(({ isChosen }) => isChosen)
    const chosen = names.map((name) => thingCalled(name, things, world))
    const called = (isServer: boolean) =>
      chosen.filter(({ is }) => (is === 'server') === isServer).map(({ name }) => name)
    writeKeptList(state, without(list, called(false), called(true)))
    for (const thing of chosen)
      if (flags.json) world.out(`${JSON.stringify({ event: 'removed', ...asJson(thing) })}\n`)
      else world.note(`${calledExactly(thing)} stays here. Runs that have it keep it.\n`)
  })

/** Shows what a thing holds, where it goes, and what keeps it here. */
export const bringShow = (name: string, flags: BringFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const { things } = thingsHere(readKeptList(statePlace(flags.state, world)), world)
    const thing = thingCalled(name, things, world)
    const { to } = thing.server ?? {}
    const entry = to && 'entry' in to ? to.entry : null
    const read = thing.is === 'server' ? null : readItem({ path: thing.name }, homeOf(world))
    const files =
      read && 'files' in read
        ? read.files.map(({ path, bytes, mode }) => ({ path, size: bytes.length, mode }))
        : []
    const first = files[0]?.path ?? thing.name
    const goes = thing.agents.map((agent) => ({ agent, to: whereItGoes(agent, first, new Set([first])) }))
    if (flags.json) return world.out(`${JSON.stringify({ ...asJson(thing), files, goes, entry })}\n`)
    const { bold, yellow } = paint(world.color)
    world.out(`${bold(calledExactly(thing))}, ${kinds[thing.is]}\n`)
    if (entry) world.out(`${JSON.stringify(entry, null, 2)}\n`)
    for (const { path, size, mode } of files)
      world.out(`  ~/${path}  ${sizeInWords(size)}${mode === '755' ? ', can be run' : ''}\n`)
    for (const { agent, to } of goes) world.out(`  ${agent} finds it at ~/${to}\n`)
    for (const why of thing.why) world.out(yellow(`  ${shownText(why)}\n`))
    if (thing.is === 'instructions' && files.length === 1 && thing.place)
      world.out(`\n${shownText(readFileSync(thing.place, 'utf8'))}\n`)
  })

function thingCalled(said: string, things: readonly ThingHere[], world: World): ThingHere {
  const named = thingNamed(said, path.resolve(world.cwd, said), things)
  if ('found' in named) return named.found
  if ('many' in named)
    throw new Trouble(
      'usage',
      `${said} could be ${named.many.map(calledExactly).join(' or ')}.`,
      'Say which, as it is written here.',
    )
  throw new Trouble(
    'usage',
    `There is no ${said} that an agent would read.`,
    `\`${world.called.farhand} bring\` lists what there is.`,
  )
}
