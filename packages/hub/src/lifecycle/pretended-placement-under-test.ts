import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxHost } from '../sandboxes/sandbox-host.ts'
import { pretendedSpec } from './pretended-sandboxes-under-test.ts'
import type { SandboxPlace, SandboxPlacement } from './sandbox-placement.ts'

/** A place for each run that is not refused one, on one host. Of the sockets it only notes which are open. */
export class PretendedPlacement implements SandboxPlacement {
  readonly hosts: readonly [SandboxHost]
  readonly #sockets: Set<string>
  readonly #refusal: (run: OwnedRun) => { waits: string } | { impossible: string } | null
  readonly #warning: () => string | null

  /** `sockets` outlives the hub, as their folders do. */
  constructor(
    host: SandboxHost,
    sockets: Set<string>,
    refusal: (run: OwnedRun) => { waits: string } | { impossible: string } | null = () => null,
    warning: () => string | null = () => null,
  ) {
    this.hosts = [host]
    this.#sockets = sockets
    this.#refusal = refusal
    this.#warning = warning
  }

  async find(run: OwnedRun): Promise<SandboxPlace | { impossible: string } | { waits: string }> {
    const [host] = this.hosts
    return (
      this.#refusal(run) ?? {
        host,
        warning: this.#warning(),
        lowered: [],
        spec: async (id, { generation }) => {
          this.#sockets.add(id)
          return pretendedSpec(id, run.id, generation)
        },
      }
    )
  }

  async reopenSockets(_run: OwnedRun, id: string): Promise<boolean> {
    this.#sockets.add(id)
    return true
  }

  async closeSockets(id: string): Promise<void> {
    this.#sockets.delete(id)
  }

  async closeOtherSockets(ids: ReadonlySet<string>): Promise<void> {
    for (const id of this.#sockets) if (!ids.has(id)) this.#sockets.delete(id)
  }
}
