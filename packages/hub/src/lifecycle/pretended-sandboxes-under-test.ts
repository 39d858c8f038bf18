import type { RunId } from '@farhand/protocol/wire/ids'
import type {
  AllLimits,
  SandboxEnd,
  SandboxHost,
  SandboxPaths,
  SandboxSpec,
} from '../sandboxes/sandbox-host.ts'

/** Sandboxes that are nothing but entries, in which a runner of the test's own is at work. */
export class PretendedSandboxes implements SandboxHost {
  readonly kind = 'pretended'
  readonly isolates = true
  readonly all = new Map<
    string,
    { run: RunId; end: SandboxEnd | null; over: () => void; ended: Promise<void> }
  >()
  readonly begun: string[] = []
  readonly removed: string[] = []
  refuses: string | null = null
  startsAfter: Promise<void> | null = null
  onStart: (spec: SandboxSpec) => void = () => {}

  async unusable() {
    return null
  }

  async strength() {
    return 'nothing is in them'
  }

  async start(spec: SandboxSpec): Promise<void> {
    this.begun.push(spec.id)
    await this.startsAfter
    if (this.refuses !== null) throw new Error(this.refuses)
    let over = () => {}
    const ended = new Promise<void>((resolve) => {
      over = resolve
    })
    this.all.set(spec.id, { run: spec.run, end: null, over, ended })
    this.onStart(spec)
  }

  async list() {
    return [...this.all].map(([id, { run, end }]) => ({ id, run, isRunning: end === null }))
  }

  async ended(id: string): Promise<SandboxEnd> {
    const one = this.all.get(id)
    await one?.ended
    return one?.end ?? { code: null, signal: null, lastWords: '' }
  }

  async remove(id: string): Promise<void> {
    this.removed.push(id)
    this.kill(id)
    this.all.delete(id)
  }

  kill(id: string): void {
    const one = this.all.get(id)
    if (!one || one.end) return
    one.end = { code: null, signal: 'SIGKILL', lastWords: '' }
    one.over()
  }
}

const paths: SandboxPaths = {
  workspace: '/workspace',
  state: '/state',
  home: '/home/agent',
  socketFolder: '/door',
}
const limits: AllLimits = { memoryMb: 1, cpus: 1, processes: 1, diskMb: 1 }

/** The spec of such a sandbox; tests only use its run and its input. */
export function pretendedSpec(id: string, run: RunId, generation: number): SandboxSpec {
  const input = () => JSON.stringify({ generation })
  return {
    id,
    run,
    input,
    program: ['true'],
    readable: [],
    socketFolder: paths.socketFolder,
    network: 'sockets-only',
    limits,
  }
}

/** The generation of the runner that reads this input. */
export function generationOf(spec: SandboxSpec): number {
  return (JSON.parse(spec.input(paths)) as { generation: number }).generation
}
