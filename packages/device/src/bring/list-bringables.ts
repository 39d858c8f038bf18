import type { AllowList } from './allow-list.ts'
import type { Bringable } from './find-bringable.ts'
import { findServers, type ServerHere } from './find-servers.ts'
import { findSetup, type Home, placeOf } from './find-setup.ts'
import { readItem } from './read-item.ts'

/** An item with its current state: whether it is brought, and why it cannot be. */
export type BringableHere = Bringable & {
  agents: readonly string[]
  isChosen: boolean
  /** Whether it was chosen and has changed since. */
  isChanged: boolean
  why: readonly string[]
  /** For a server: the secrets that it needs. */
  secrets: readonly string[]
  files: number
  bytes: number
  digest: string
  server: ServerHere | null
}

/** Everything that agents are set up with here, plus chosen items that no longer exist. */
export function listBringables(list: AllowList, here: Home): { items: BringableHere[]; unread: string[] } {
  const setup = findSetup(here).map((item): BringableHere => {
    const read = readItem(item, here)
    const chosen = list.items.get(item.path)
    const files = 'files' in read ? read.files : []
    const digest = 'files' in read ? read.digest : ''
    return {
      is: item.kind,
      name: item.path,
      agent: null,
      place: placeOf(item.path, here),
      agents: item.agents,
      isChosen: chosen !== undefined,
      isChanged: chosen !== undefined && digest !== '' && chosen !== digest,
      why: 'why' in read ? read.why : [],
      secrets: [],
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      digest,
      server: null,
    }
  })
  const { servers, unread } = findServers(here)
  const items = [...setup, ...servers.map((server) => bringableServer(server, list))]
  return { items: [...items, ...gone(list, items)], unread }
}

function bringableServer(server: ServerHere, list: AllowList): BringableHere {
  const { name, agent, digest, to } = server
  const chosen = list.servers.get(name)
  const isChosen = chosen?.agent === agent
  return {
    ...nothing,
    is: 'server',
    name,
    agent,
    isChosen,
    isChanged: isChosen && chosen.digest !== digest,
    why: 'why' in to ? [to.why] : [],
    secrets: 'why' in to ? [] : to.secrets,
    digest,
    server,
  }
}

/** Chosen items that no longer exist. They stay on the list until the user removes them. */
function gone(list: AllowList, there: readonly BringableHere[]): BringableHere[] {
  const has = (name: string, isServer: boolean) =>
    there.some((one) => one.name === name && (one.is === 'server') === isServer && one.isChosen)
  const items = [...list.items.keys()].filter((path) => !has(path, false))
  const servers = [...list.servers].filter(([name]) => !has(name, true))
  return [
    ...items.map(
      (name): BringableHere => ({
        ...nothing,
        is: kindOf(name),
        name,
        isChosen: true,
        why: ['it no longer exists'],
      }),
    ),
    ...servers.map(
      ([name, { agent }]): BringableHere => ({
        ...nothing,
        is: 'server',
        name,
        agent,
        isChosen: true,
        why: ['it no longer exists'],
      }),
    ),
  ]
}

const kindOf = (path: string) => (/\/skills?\//.test(path) ? 'skill' : 'instructions')

const nothing = {
  agent: null,
  place: null,
  agents: [],
  isChanged: false,
  secrets: [],
  files: 0,
  bytes: 0,
  digest: '',
  server: null,
}
