import { mkdir, readdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { RunId } from '@farhand/protocol/ids'
import type { SandboxLetter } from '@farhand/protocol/sandbox-letter'
import { type Network, remotesOf } from '@farhand/protocol/sandbox-terms'
import type { Vault } from '../access/vault.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import { doorSockets, type Gate, openGate } from '../sandboxes/gate/gate.ts'
import type { AllLimits, SandboxHost, SandboxPlaces } from '../sandboxes/sandbox-host.ts'
import { type HostHere, whichHost } from '../sandboxes/which-host.ts'
import type { Equipment, EquippedAgent } from './equipment.ts'
import type { Lodging, Lodgings } from './lodgings.ts'

export type LocalLodgingsParts = {
  /** The better ones first. */
  hosts: readonly SandboxHost[]
  equipment: Equipment
  vault: Pick<Vault, 'secretsFor' | 'credentialFor'>
  /** Where the doors of sandboxes are. */
  doors: string
  /** Which kind of sandbox a run has that asks for none in particular. */
  kind: string
  limits: AllLimits
  /** The hub's address, and how it takes a connection that comes through the door of a run. */
  url: string
  take: (socket: Socket, run: RunId) => void
  /** From now on some runs are lodged there. */
  used: (host: SandboxHost) => void
  /** A sandbox of this run wanted to go somewhere that it may not. */
  refused: (run: RunId, to: { host: string; port: number }) => void
}

/** Sandboxes on the machine of the hub. */
export class LocalLodgings implements Lodgings {
  readonly hosts: readonly SandboxHost[]
  readonly #parts: LocalLodgingsParts
  readonly #gates = new Map<string, Gate>()
  readonly #used = new Set<SandboxHost>()
  readonly #unusable = new Map<SandboxHost, Promise<string | null>>()

  constructor(parts: LocalLodgingsParts) {
    this.#parts = parts
    this.hosts = parts.hosts
  }

  async find(run: OwnedRun): Promise<Lodging | { impossible: string } | { waits: string }> {
    const named = run.agent
    if ((run.sandbox ?? this.#parts.kind) === 'none')
      return {
        waits: 'this hub gives a sandbox only to runs that ask for one: start a runner of your own for it',
      }
    if (named === null)
      return run.sandbox === null
        ? { waits: 'it names no agent: name one when you make a run, or start a runner of your own for it' }
        : { impossible: 'The run names no agent, so that nothing could work in its sandbox.' }
    const chosen = await this.#hostFor(run)
    if ('impossible' in chosen) return chosen
    const { host, warning } = chosen
    if (!host.isolates && networkOf(run) !== 'full') return { impossible: await this.#whyNoFence() }
    const agent = await this.#agentOf(run, named)
    if ('impossible' in agent) return agent
    return {
      host,
      warning,
      spec: async (id, { token, generation }) => {
        const door = await this.#open(run, id, agent)
        const { runner } = this.#parts.equipment
        return {
          id,
          run: run.id,
          program: runner.program,
          readable: [...runner.readable, ...agent.readable],
          letter: (places) => JSON.stringify(this.#letter(run, agent, { token, generation }, places)),
          door,
          network: networkOf(run) === 'full' ? 'full' : 'door',
          limits: { ...this.#parts.limits, ...run.terms?.limits } as AllLimits,
        }
      },
    }
  }

  async reopen(run: OwnedRun, id: string): Promise<void> {
    const agent = await this.#agentOf(run, run.agent ?? '')
    await this.#open(run, id, 'impossible' in agent ? { modelHosts: [] } : agent)
  }

  async shut(id: string): Promise<void> {
    await this.#gates.get(id)?.close()
    this.#gates.delete(id)
    await rm(this.#doorOf(id), { recursive: true, force: true })
  }

  async shutOthers(ids: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#parts.doors, { recursive: true, mode: 0o700 })
    for (const id of await readdir(this.#parts.doors)) if (!ids.has(id)) await this.shut(id)
  }

  /** Shuts no door for good: whoever is behind it waits for the next hub. */
  async close(): Promise<void> {
    await Promise.all([...this.#gates.values()].map((gate) => gate.close()))
    this.#gates.clear()
  }

  async #agentOf(run: OwnedRun, id: string): Promise<EquippedAgent | { impossible: string }> {
    try {
      const secrets = await this.#parts.vault.secretsFor(run.project, run.terms?.secrets ?? [])
      return this.#parts.equipment.agent(id, secrets)
    } catch (error) {
      // A secret that is gone or locked is for a person to mend, and says so.
      return { impossible: (error as Error).message }
    }
  }

  /** All kinds of sandbox that there are here, and why those that do not work do not. */
  async kinds(): Promise<HostHere[]> {
    const here = this.hosts.map(async (host) => ({
      kind: host.kind,
      isolates: host.isolates,
      unusable: await this.#whyNot(host),
    }))
    return await Promise.all(here)
  }

  async #hostFor(run: OwnedRun): Promise<Pick<Lodging, 'host' | 'warning'> | { impossible: string }> {
    const asked = run.sandbox ?? this.#parts.kind
    const choice = whichHost(asked === 'auto' ? null : asked, await this.kinds())
    if ('refused' in choice) return { impossible: choice.refused }
    const host = this.hosts.find(({ kind }) => kind === choice.kind)!
    if (!this.#used.has(host)) this.#parts.used(host)
    this.#used.add(host)
    return { host, warning: choice.warning }
  }

  /** Why a run that may not reach everything has no place here, and what would be one. */
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
    // Somebody may mend it meanwhile; that it works is looked at once.
    if (why !== null) this.#unusable.delete(host)
    return why
  }

  #doorOf(id: string): string {
    return join(this.#parts.doors, id)
  }

  async #open(run: OwnedRun, id: string, { modelHosts }: Pick<EquippedAgent, 'modelHosts'>): Promise<string> {
    const { vault, take, refused } = this.#parts
    const door = this.#doorOf(id)
    await this.#gates.get(id)?.close()
    const gate = await openGate({
      door,
      rules: { network: networkOf(run), alsoHosts: modelHosts },
      remotes: remotesOf(run.terms ?? {}),
      credentialFor: (repository) => vault.credentialFor(run.project, repository),
      hub: (socket) => take(socket, run.id),
      refused: (to) => refused(run.id, to),
    })
    this.#gates.set(id, gate)
    return door
  }

  #letter(
    run: OwnedRun,
    agent: EquippedAgent,
    grant: { token: string; generation: number },
    places: SandboxPlaces,
  ): SandboxLetter {
    const needsProxy = networkOf(run) !== 'full' || remotesOf(run.terms ?? {}).length > 0
    return {
      at: { project: run.project, task: run.task, run: run.id },
      hub: { url: this.#parts.url, socket: `${places.door}/${doorSockets.hub}` },
      ...grant,
      proxy: needsProxy ? `${places.door}/${doorSockets.proxy}` : null,
      workspace: places.workspace,
      state: places.state,
      agent: { id: run.agent!, ...agent.inside(places) },
      secrets: [...agent.secrets],
      terms: run.terms ?? {},
    }
  }
}

const networkOf = ({ terms }: OwnedRun): Network => terms?.network ?? 'full'
