import process from 'node:process'
import { cgroupsOf, makeCgroups, usableCgroups } from './cgroups.ts'
import { joinGroups, limitEach } from './limited-command.ts'
import { markName } from './processes.ts'
import type { FoundSandbox, SandboxEnd, SandboxHost, SandboxSpec } from './sandbox-host.ts'
import { SupervisedSandboxes } from './supervised-sandboxes.ts'
import { beginScript } from './supervisor-script.ts'

export type ProcessSandboxOptions = {
  /** The folder with the folders of all sandboxes. */
  folder: string
  /** The search path for programs. */
  path: string
}

/** Plain processes of the hub's own user, without isolation, for machines where nothing better works. */
export class ProcessSandboxHost implements SandboxHost {
  readonly kind = 'process'
  readonly isolates = false
  readonly #options: ProcessSandboxOptions
  readonly #sandboxes: SupervisedSandboxes

  constructor(options: ProcessSandboxOptions) {
    this.#options = options
    this.#sandboxes = new SupervisedSandboxes(this.kind, options.folder)
  }

  async unusable(): Promise<string | null> {
    if (process.platform !== 'win32') return null
    return 'Sandboxes need Linux or macOS; on Windows start the hub inside WSL.'
  }

  async strength(): Promise<string> {
    const counted = usableCgroups()
      ? 'memory, processes and CPUs are limited'
      : 'each process is limited by itself'
    return `plain processes, which may do whatever the hub's user may; ${counted}; disk and network are not`
  }

  async start(spec: SandboxSpec): Promise<void> {
    const { id, run, program, limits } = spec
    if (spec.network !== 'full') {
      throw new Error(
        'A sandbox of plain processes cannot be kept off the network: let the run have it all (network: full), ' +
          'or have it in a bubblewrap sandbox.',
      )
    }
    const parents = usableCgroups()
    await this.#sandboxes.start({ id, run, cgroups: cgroupsOf(parents, id) }, async (folder) => {
      const cgroups = parents ? makeCgroups(parents, id, limits) : []
      const [workspace, state, home] = ['workspace', 'state', 'home'].map((name) => folder.makePlace(name))
      const begin = ['/bin/sh', '-c', beginScript, 'farhand-begin', workspace!, ...program]
      return {
        words: joinGroups(cgroups, cgroups.length > 0 ? begin : limitEach(begin, limits, true)),
        input: spec.input({
          workspace: workspace!,
          state: state!,
          home: home!,
          socketFolder: spec.socketFolder,
        }),
        env: {
          PATH: this.#options.path,
          HOME: home!,
          TMPDIR: folder.makePlace('tmp'),
          LANG: 'C.UTF-8',
          [markName]: id,
        },
      }
    })
  }

  async list(): Promise<FoundSandbox[]> {
    return this.#sandboxes.list()
  }

  ended(id: string): Promise<SandboxEnd> {
    return this.#sandboxes.ended(id)
  }

  remove(id: string): Promise<void> {
    return this.#sandboxes.remove(id)
  }
}
