import { mkdir, readdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { RunnerConfig } from '@farhand/protocol/schemas/runner-config'
import { type Network, remotesOf } from '@farhand/protocol/schemas/sandbox-terms'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Vault } from '../access/vault.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import { type AvailableHost, chooseHost } from '../sandboxes/choose-host.ts'
import { ConnectionBudget } from '../sandboxes/egress/connection-budget.ts'
import { type EgressProxy, openEgressProxy, socketNames } from '../sandboxes/egress/egress-proxy.ts'
import { type Wrong, wrongRepository } from '../sandboxes/egress/wrong-repository.ts'
import type { SandboxHost, SandboxPaths } from '../sandboxes/sandbox-host.ts'
import type { Equipment, SandboxAgent } from './equipment.ts'
import {
  limitsFor,
  loweredInWords,
  networkFor,
  privateHostsFor,
  type RunOwner,
  type RunRules,
  whyNotKind,
  whyNotTerms,
} from './run-rules.ts'
import type { SandboxPlace, SandboxPlacement } from './sandbox-placement.ts'

export type LocalPlacementParts = {
  /** The strongest kind first. */
  hosts: readonly SandboxHost[]
  equipment: Equipment
  vault: Pick<Vault, 'secretsFor' | 'credentialFor'>
  /** The folder with a folder of sockets for each sandbox. */
  socketFolders: string
  /** The kind of sandbox for runs that do not name one. */
  kind: string
  rules: RunRules
  /** Called each time: the role of a user may have changed since the run was made. */
  ownerOf: (run: Pick<OwnedRun, 'owner'>) => Promise<RunOwner & { getsKeys: boolean }>
  /** The hub's address, and how it accepts a connection from the sandbox of a run. */
  url: string
  take: (socket: Socket, run: RunId) => void
  /** How many connections all sandboxes may have together, to the hub and through it. */
  mostConnections: number
  /** Called when a host is used for the first time. */
  used: (host: SandboxHost) => void
  /** Called when the sandbox of a run tried to connect to a host that it may not reach. */
  refused: (run: RunId, to: { host: string; port: number }) => void
}

/** Sandboxes on the machine of the hub. */
export class LocalPlacement implements SandboxPlacement {
  readonly hosts: readonly SandboxHost[]
  readonly #parts: LocalPlacementParts
  readonly #lines: ConnectionBudget
  readonly #proxies = new Map<string, EgressProxy>()
  readonly #used = new Set<SandboxHost>()
  readonly #unusable = new Map<SandboxHost, Promise<string | null>>()

  constructor(parts: LocalPlacementParts) {
    this.#parts = parts
    this.hosts = parts.hosts
    this.#lines = new ConnectionBudget(parts.mostConnections)
  }

  async find(run: OwnedRun): Promise<SandboxPlace | { impossible: string } | { waits: string }> {
    const named = run.agent
    if ((run.sandbox ?? this.#parts.kind) === 'none')
      return {
        waits: 'this hub gives a sandbox only to runs that ask for one: start a runner of your own for it',
      }
    if (named === null)
      return run.sandbox === null
        ? { waits: 'it names no agent: name one when you make a run, or start a runner of your own for it' }
        : { impossible: 'The run names no agent, so that nothing could work in its sandbox.' }
    const { rules } = this.#parts
    const owner = await this.#parts.ownerOf(run)
    const chosen = await this.#hostFor(run, owner)
    if ('impossible' in chosen) return chosen
    const { host, warning } = chosen
    const terms = run.terms ?? {}
    const wrong = whyNotTerms(rules, owner, terms)
    if (wrong) return { impossible: wrong.why }
    const network = networkFor(rules, owner, terms.network)
    if (!host.isolates && network !== 'full') return { impossible: await this.#whyNoFence() }
    const agent = await this.#agentOf(run, named, owner.getsKeys)
    if ('impossible' in agent) return agent
    return {
      host,
      warning,
      lowered: loweredInWords(rules, owner, terms),
      spec: async (id, { token, generation }) => {
        const socketFolder = await this.#open(run, id, agent, owner)
        const { runner } = this.#parts.equipment
        return {
          id,
          run: run.id,
          program: runner.program,
          readable: [...runner.readable, ...agent.readable],
          input: (paths) =>
            JSON.stringify(this.#runnerConfig(run, agent, network, { token, generation }, paths)),
          socketFolder,
          network: network === 'full' ? 'full' : 'sockets-only',
          limits: limitsFor(rules, terms.limits),
        }
      },
    }
  }

  async reopenSockets(run: OwnedRun, id: string, host: SandboxHost): Promise<boolean> {
    const owner = await this.#parts.ownerOf(run)
    if (whyNotKind(this.#parts.rules, owner, host) !== null) return false
    const agent = await this.#agentOf(run, run.agent ?? '', owner.getsKeys)
    const hosts = 'impossible' in agent ? { modelHosts: [], operatorHosts: [] } : agent
    await this.#open(run, id, hosts, owner)
    return true
  }

  async closeSockets(id: string): Promise<void> {
    await this.#proxies.get(id)?.close()
    this.#proxies.delete(id)
    await rm(this.#socketFolderOf(id), { recursive: true, force: true })
  }

  async closeOtherSockets(ids: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#parts.socketFolders, { recursive: true, mode: 0o700 })
    for (const id of await readdir(this.#parts.socketFolders)) if (!ids.has(id)) await this.closeSockets(id)
  }

  /** Closes the sockets but keeps their folders: the sandboxes keep running and wait for the next hub. */
  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()))
    this.#proxies.clear()
  }

  async #agentOf(
    run: OwnedRun,
    id: string,
    getsKeys: boolean,
  ): Promise<SandboxAgent | { impossible: string }> {
    try {
      const secrets = await this.#parts.vault.secretsFor(run.project, run.terms?.secrets ?? [])
      return this.#parts.equipment.agent(id, secrets, { getsKeys })
    } catch (error) {
      // A missing or locked secret is for the user to fix; the message says how.
      return { impossible: (error as Error).message }
    }
  }

  /** All kinds of sandbox on this machine, with the reason why this user cannot have one, if so. */
  async kinds(owner: RunOwner): Promise<AvailableHost[]> {
    const here = this.hosts.map(async (host) => ({
      kind: host.kind,
      isolates: host.isolates,
      forbidden: whyNotKind(this.#parts.rules, owner, host),
      unusable: await this.#whyNot(host),
    }))
    return await Promise.all(here)
  }

  /** What a run asks for that its user may not have. This needs no check of whether the sandbox kind works here. */
  async refusal({ owner, sandbox, terms }: AskedOf): Promise<{ field: string; why: string } | null> {
    const user = await this.#parts.ownerOf({ owner })
    const host = this.hosts.find(({ kind }) => kind === sandbox)
    const why = host ? whyNotKind(this.#parts.rules, user, host) : null
    if (why !== null) return { field: 'sandbox', why }
    return whyNotTerms(this.#parts.rules, user, terms ?? {})
  }

  /** Why a run cannot begin from the repository that it names, as far as is known before it has a sandbox. */
  async wrongClone({
    owner,
    project,
    terms,
  }: AskedOf & Pick<OwnedRun, 'project'>): Promise<WrongClone | null> {
    const { clone } = terms ?? {}
    if (!clone) return null
    const { vault, rules } = this.#parts
    const user = await this.#parts.ownerOf({ owner })
    return await wrongRepository({
      ...clone,
      rules: {
        network: networkFor(rules, user, terms?.network),
        alsoHosts: [],
        privateHosts: privateHostsFor(rules, user),
      },
      credentialFor: (repository) => vault.credentialFor(project, repository),
    })
  }

  async #hostFor(
    run: OwnedRun,
    owner: RunOwner,
  ): Promise<Pick<SandboxPlace, 'host' | 'warning'> | { impossible: string }> {
    const asked = run.sandbox ?? this.#parts.kind
    const choice = chooseHost(asked === 'auto' ? null : asked, await this.kinds(owner))
    if ('refused' in choice) return { impossible: choice.refused }
    const host = this.hosts.find(({ kind }) => kind === choice.kind)!
    if (!this.#used.has(host)) this.#parts.used(host)
    this.#used.add(host)
    return { host, warning: choice.warning }
  }

  /** Why a run with a restricted network cannot run here, and what the user can do. */
  async #whyNoFence(): Promise<string> {
    const better = this.hosts.find(({ isolates }) => isolates)
    const whyNot = better ? await this.#whyNot(better) : null
    const said = 'A sandbox of plain processes cannot be kept off the network, as this run asks for.'
    const instead = better ? ` Ask for a ${better.kind} sandbox, or for all of the network.` : ''
    return whyNot === null ? `${said}${instead}` : `${said} ${whyNot}`
  }

  async #whyNot(host: SandboxHost): Promise<string | null> {
    const known = this.#unusable.get(host) ?? host.unusable()
    this.#unusable.set(host, known)
    const why = await known
    // The operator may fix it meanwhile, so only success is remembered.
    if (why !== null) this.#unusable.delete(host)
    return why
  }

  #socketFolderOf(id: string): string {
    return join(this.#parts.socketFolders, id)
  }

  async #open(
    run: OwnedRun,
    id: string,
    { modelHosts, operatorHosts }: Pick<SandboxAgent, 'modelHosts' | 'operatorHosts'>,
    owner: RunOwner,
  ): Promise<string> {
    const { vault, take, refused, rules } = this.#parts
    const open = privateHostsFor(rules, owner)
    const socketFolder = this.#socketFolderOf(id)
    await this.#proxies.get(id)?.close()
    const proxy = await openEgressProxy({
      socketFolder,
      rules: {
        network: networkFor(rules, owner, run.terms?.network),
        alsoHosts: modelHosts,
        // The operator's model hosts may be on the hub's own machine.
        privateHosts: open === 'any' ? 'any' : [...open, ...operatorHosts],
      },
      remotes: remotesOf(run.terms ?? {}),
      credentialFor: (repository) => vault.credentialFor(run.project, repository),
      hub: (socket) => take(socket, run.id),
      refused: (to) => refused(run.id, to),
      lines: this.#lines.share(),
    })
    this.#proxies.set(id, proxy)
    return socketFolder
  }

  #runnerConfig(
    run: OwnedRun,
    agent: SandboxAgent,
    network: Network,
    grant: { token: string; generation: number },
    paths: SandboxPaths,
  ): RunnerConfig {
    const needsProxy = network !== 'full' || remotesOf(run.terms ?? {}).length > 0
    return {
      at: { project: run.project, task: run.task, run: run.id },
      hub: { url: this.#parts.url, socket: `${paths.socketFolder}/${socketNames.hub}` },
      ...grant,
      proxy: needsProxy ? `${paths.socketFolder}/${socketNames.proxy}` : null,
      workspace: paths.workspace,
      state: paths.state,
      agent: { id: run.agent!, ...agent.inside(paths) },
      secrets: [...agent.secrets],
      // The network that it really gets: programs inside are told to use the proxy if they have nothing else.
      terms: { ...run.terms, network },
    }
  }
}

export type AskedOf = Pick<OwnedRun, 'owner' | 'terms'> & { sandbox: string | null }

/** What is wrong with the repository that a run names. */
export type WrongClone = Wrong
