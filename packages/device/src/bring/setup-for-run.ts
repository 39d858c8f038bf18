import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { listSecrets } from '@farhand/client/resources/secrets'
import { event } from '@farhand/protocol/events/event-names'
import type { BroughtFile } from '@farhand/protocol/methods/setup'
import type { Network, SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { takesServers } from '@farhand/runner/catalogue/catalogue'
import type { McpServerEntry } from '@farhand/runner/catalogue/mcp-servers'
import { projectNamed } from '../find-run/project-named.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { readBringList } from './bring-list.ts'
import type { Home } from './find-setup.ts'
import { type Gathered, gatherSetup } from './gather-setup.ts'

/** What is brought to a run: the gathered files, the servers that its agent can have, and what was left out. */
export type Brought = Pick<Gathered, 'files' | 'changed'> & Along

export type SetupForRun = {
  /** The run's terms, plus the secrets that the brought servers need. */
  terms: SandboxTerms
  /** Posts the setup to the run; to be called before the agent gets its first message. Null if nothing was chosen. */
  send(at: RunAddress): Promise<Brought | null>
}

type ForRun = {
  stateFolderPath: string
  hub: Hub
  agent: string
  terms: SandboxTerms
  /** The name or id of the project, for a new run; an existing run has its secrets in `terms`. */
  project?: string | undefined
  /** For a run that may have a setup already: choosing nothing removes it. */
  evenNothing?: boolean | undefined
}

/** Gathers what the user chose to bring to the sandbox of a run. */
export async function setupForRun(
  { stateFolderPath, hub, agent, project, terms, evenNothing = false }: ForRun,
  home: Home,
  signal: AbortSignal,
): Promise<SetupForRun> {
  const list = readBringList(stateFolderPath)
  const isAny = list.items.size + list.servers.size > 0
  if (!(isAny || evenNothing)) return { terms, send: async () => null }
  const gathered = gatherSetup(list, home)
  const wants = gathered.servers.some(({ secrets }) => secrets.length > 0)
  const known = project !== undefined && wants ? await secretsOf(hub, project, signal) : (terms.secrets ?? [])
  const along = serversForRun(gathered, { agent, has: new Set(known), network: terms.network ?? 'full' })
  const secrets = [...new Set([...(terms.secrets ?? []), ...along.secrets])]
  return {
    terms: secrets.length > 0 ? ({ ...terms, secrets } as SandboxTerms) : terms,
    send: async (at) => {
      const { files, contents, changed } = gathered
      const { servers } = along
      if (files.length + servers.length > 0 || evenNothing)
        await postSetup(hub, at, { files, contents, servers }, { signal, patienceMs })
      return { files, changed, ...along }
    },
  }
}

type Along = { servers: Gathered['servers'][number]['entry'][]; secrets: string[]; left: Gathered['left'] }

/** Which of the chosen servers the agent can have with these secrets and this network, and why not the others. */
export function serversForRun(
  { servers, left }: Pick<Gathered, 'servers' | 'left'>,
  { agent, has, network }: { agent: string; has: ReadonlySet<string>; network: Network },
): Along {
  const along: Along = { servers: [], secrets: [], left: [...left] }
  for (const { entry, secrets } of servers) {
    const missing = secrets.filter((name) => !has.has(name))
    const what = `the MCP server ${entry.name}`
    if (!takesServers(agent)) along.left.push({ what, why: `${agent} uses none` })
    else if (missing.length > 0)
      along.left.push({ what, why: `there is no secret ${missing.join(' and ')} for it` })
    else if (entry.type !== 'stdio' && !isReached(new URL(entry.url).hostname, network))
      along.left.push({
        what,
        why: 'the network of this run does not reach it: name its host with --network',
      })
    else {
      along.servers.push(entry)
      along.secrets.push(...secrets)
    }
  }
  return along
}

function isReached(host: string, network: Network): boolean {
  if (typeof network === 'string') return network === 'full'
  const names = network.allow.map((allowed) => allowed.replace(/:\d+$/, ''))
  return names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : name === host))
}

async function secretsOf(hub: Hub, project: string, signal: AbortSignal): Promise<string[]> {
  const found = await projectNamed(hub, project, signal)
  const secrets = found ? await listSecrets(hub, found.id, { signal, patienceMs }) : []
  // A git credential is never given to a run.
  return secrets.filter(({ remote }) => remote === undefined).map(({ name }) => name)
}

type Setup = {
  files: readonly BroughtFile[]
  contents: ReadonlyMap<BlobHash, Uint8Array>
  servers: readonly McpServerEntry[]
}

/** Stores the setup and posts it to the run, in place of the previous one; resolves when both are durable. */
async function postSetup(
  hub: Hub,
  at: RunAddress,
  { files, contents, servers }: Setup,
  options: CallOptions,
): Promise<void> {
  const sources = [...contents].map(([hash, bytes]) => ({ hash, size: bytes.length, open: () => bytes }))
  const { refused } = await uploadBlobs(hub, at, sources, options)
  if (refused[0]) throw refused[0].why
  const params = { items: files, ...(servers.length > 0 && { mcpServers: servers }) }
  await post(hub, at, event('user_setup', params), options)
}
