import type { Hub } from '@farhand/client/hub'
import { listSecrets } from '@farhand/client/secrets'
import { gatherSetup } from '@farhand/device/bring/gather-setup'
import { postSetup } from '@farhand/device/bring/post-setup'
import type { RunAddress } from '@farhand/protocol/routes'
import type { SandboxTerms } from '@farhand/protocol/sandbox-terms'
import { patienceMs } from '../find-run.ts'
import { paint } from '../paint.ts'
import { projectNamed } from '../project-named.ts'
import { shownText } from '../shown-text.ts'
import type { World } from '../world.ts'
import { readKeptList } from './kept-list.ts'
import { homeOf } from './things-here.ts'

export type ToBring = {
  /** With the secrets that brought servers take. */
  terms: SandboxTerms
  /** Puts it into the log of the run; to be done before the agent is told anything. */
  send(at: RunAddress): Promise<void>
}

type Circumstances = {
  flags: { bring?: unknown; json?: unknown }
  statePlace: string
  hub: Hub
  /** By its name or id; secrets belong to one. */
  project: string
  terms: SandboxTerms
}

/** What goes along to the sandbox of a run, as its user chose; says what stays here although it was chosen. */
export async function bringForRun(
  { flags, statePlace, hub, project, terms }: Circumstances,
  world: World,
): Promise<ToBring> {
  const list = readKeptList(statePlace)
  if (flags.bring === false || list.items.size + list.servers.size === 0)
    return { terms, send: async () => {} }
  const { files, contents, servers, left, changed } = gatherSetup(list, homeOf(world))
  const has = servers.some(({ secrets }) => secrets.length > 0)
    ? await secretsOf(hub, project, world)
    : new Set<string>()
  const able = servers.filter(({ secrets }) => secrets.every((name) => has.has(name)))
  const { farhand } = world.called
  for (const { entry, secrets } of servers) {
    const missing = secrets.filter((name) => !has.has(name))
    const why = `the project has no secret ${missing.join(' and ')}: ${farhand} secret set ${missing[0]}`
    if (missing.length > 0) left.push({ what: `the MCP server ${entry.name}`, why })
  }
  const entries = able.map(({ entry }) => entry)
  const secrets = [...new Set([...(terms.secrets ?? []), ...able.flatMap(({ secrets }) => secrets)])]
  return {
    terms:
      secrets.length > 0 ? { ...terms, secrets: secrets as NonNullable<SandboxTerms['secrets']> } : terms,
    send: async (at) => {
      if (files.length + entries.length > 0)
        await postSetup(hub, at, { files, contents, servers: entries }, { signal: world.stop, patienceMs })
      const names = entries.map(({ name }) => name)
      if (flags.json) {
        const told = { files: files.map(({ path }) => path), servers: names, left, changed }
        return world.out(`${JSON.stringify({ event: 'brought', ...told })}\n`)
      }
      const { dim, yellow } = paint(world.color)
      const said = inWords(files.length, names)
      if (said) world.note(dim(`brings ${said} of yours (\`${farhand} bring\`)\n`))
      for (const path of changed)
        world.note(dim(`~/${path} has changed since you added it, and passed the scan again\n`))
      for (const { what, why } of left) world.note(yellow(`not brought: ${shownText(`${what}: ${why}`)}\n`))
    },
  }
}

/** `3 files and the MCP server github`; empty if there is neither. */
export function inWords(files: number, servers: readonly string[]): string {
  const parts = [
    files > 0 && (files === 1 ? '1 file' : `${files} files`),
    servers.length > 0 && `the MCP server${servers.length > 1 ? 's' : ''} ${servers.join(', ')}`,
  ]
  return parts.filter((part) => part !== false).join(' and ')
}

async function secretsOf(hub: Hub, project: string, { stop }: World): Promise<Set<string>> {
  const found = await projectNamed(hub, project, stop)
  if (!found) return new Set()
  const secrets = await listSecrets(hub, found.id, { signal: stop, patienceMs })
  return new Set(secrets.filter(({ remote }) => remote === undefined).map(({ name }) => name))
}
