import type { Hub } from '@farhand/client/requests/hub'
import { listSecrets } from '@farhand/client/resources/secrets'
import { type Gathered, gatherSetup } from '@farhand/device/bring/gather-setup'
import { postSetup } from '@farhand/device/bring/post-setup'
import { projectNamed } from '@farhand/device/find-run/project-named'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import type { Network, SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { takesServers } from '@farhand/runner/catalogue/catalogue'
import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../printing/paint.ts'
import { shownText } from '../printing/shown-text.ts'
import { readBringList } from './bring-list.ts'
import { countsInWords } from './brought-in-words.ts'

export type ToBring = {
  /** The run's terms, plus the secrets that the brought servers need. */
  terms: SandboxTerms
  /** Posts the setup to the run; to be called before the agent gets its first message. */
  send(at: RunAddress): Promise<void>
}

type Circumstances = {
  flags: { bring?: unknown; json?: unknown }
  stateFolderPath: string
  hub: Hub
  agent: string
  terms: SandboxTerms
  /** The name or id of the project, for a new run; an existing run has its secrets in `terms`. */
  project?: string
  /** For a run that may have a setup already: choosing nothing removes it. */
  evenNothing?: true
}

/** Gathers what the user chose to bring to the sandbox of a run. `send` reports what was chosen and is not brought. */
export async function bringForRun(
  { flags, stateFolderPath, hub, agent, project, terms, evenNothing }: Circumstances,
  context: CommandContext,
): Promise<ToBring> {
  const list = readBringList(stateFolderPath)
  const isAny = list.items.size + list.servers.size > 0
  if (flags.bring === false || !(isAny || evenNothing)) return { terms, send: async () => {} }
  const gathered = gatherSetup(list, context)
  const wants = gathered.servers.some(({ secrets }) => secrets.length > 0)
  const known =
    project !== undefined && wants ? await secretsOf(hub, project, context) : (terms.secrets ?? [])
  const along = serversForRun(gathered, { agent, has: new Set(known), network: terms.network ?? 'full' })
  const secrets = [...new Set([...(terms.secrets ?? []), ...along.secrets])]
  return {
    terms: secrets.length > 0 ? ({ ...terms, secrets } as SandboxTerms) : terms,
    send: async (at) => {
      const { files, contents } = gathered
      const { servers } = along
      if (files.length + servers.length > 0 || evenNothing)
        await postSetup(hub, at, { files, contents, servers }, { signal: context.stop, patienceMs })
      tell(gathered, along, { flags, isNew: project !== undefined }, context)
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

function tell(
  { files, changed }: Gathered,
  { servers, left }: Along,
  { flags, isNew }: Pick<Circumstances, 'flags'> & { isNew: boolean },
  context: CommandContext,
): void {
  const names = servers.map(({ name }) => name)
  if (flags.json) {
    const told = { files: files.map(({ path }) => path), servers: names, left, changed }
    context.out(`${JSON.stringify({ event: 'brought', ...told })}\n`)
    return
  }
  const { dim, yellow } = paint(context.color)
  const said = countsInWords(files.length, names)
  const { farhand } = context.called
  if (said) context.note(dim(`brings ${said} of yours (\`${farhand} bring\`)\n`))
  for (const path of changed)
    context.note(dim(`~/${path} has changed since you added it, and passed the scan again\n`))
  for (const { what, why } of left) context.note(yellow(`not brought: ${shownText(`${what}: ${why}`)}\n`))
  if (!left.some(({ why }) => why.startsWith('there is no secret'))) return
  const next = isNew
    ? `A secret is kept for the project of a folder, in it: ${farhand} secret set <name>`
    : 'A run is given its secrets when it is made: a new one can have it.'
  context.note(dim(`${next}\n`))
}

async function secretsOf(hub: Hub, project: string, { stop }: CommandContext): Promise<string[]> {
  const found = await projectNamed(hub, project, stop)
  const secrets = found ? await listSecrets(hub, found.id, { signal: stop, patienceMs }) : []
  // A git credential is never given to a run.
  return secrets.filter(({ remote }) => remote === undefined).map(({ name }) => name)
}
