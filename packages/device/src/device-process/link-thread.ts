import { Worker } from 'node:worker_threads'
import type { DeviceId } from '@farhand/protocol/wire/ids'
import type { LinkEnd, LinkEvent, LinkedRun, LinkStatus } from './device-protocol.ts'

/** What a thread is told when it begins with a folder. */
export type LinkStart = {
  folder: string
  /** The run that it is linked to now; null if the folder remembers its run. */
  run: LinkedRun | null
  /** The flags of the link. */
  words: readonly string[]
}

/** `keep-tokens`: instead of a folder, to move the tokens into the keychain, which may take its time. */
export type ToLinkThread = ({ is: 'start' } & LinkStart) | { is: 'stop' } | { is: 'keep-tokens' }

export type FromLinkThread =
  | { is: 'linked'; device: DeviceId }
  | { is: 'progress'; sent: number; toSend: number }
  | { is: 'in-step'; files: number }
  | { is: 'status'; status: LinkStatus }
  /** `stopped`: as it was told to. */
  | { is: 'ended'; end: LinkEnd | { is: 'stopped' } }

/** What every thread of the device process gets. `beat` counts up as long as its thread is not stuck. */
export type LinkThreadData<Context> = {
  startedFrom: string
  source: string | undefined
  beat: SharedArrayBuffer
  context: Context
}

export type LinkThreads<Context = unknown> = {
  /** What a thread runs first. */
  program: string
  /** Its program, if that is only what runs another one. */
  source?: () => Promise<string>
  /** A file of the program, beside which libraries are found. */
  startedFrom: string
  context: Context
  /** A limit for the memory of each thread; V8's own if there is none. */
  mostHeapMb?: number
}

// Most objects are short-lived: a large young generation would be most of the memory of a thread.
const nurseryMb = 8
/** A thread ends in well under a second; after this it is stuck. */
const politeMs = 4_000
/** After its last message a thread only has to end. */
const lastMs = 2_000

type Begun = { worker: Worker; beat: Int32Array }

/** Starts a thread before it is known for which folder. It keeps no process alive. */
export async function warmLinkThread({
  program,
  source,
  startedFrom,
  context,
  mostHeapMb,
}: LinkThreads): Promise<Begun> {
  const beat = new SharedArrayBuffer(4)
  const workerData: LinkThreadData<unknown> = { startedFrom, source: await source?.(), beat, context }
  const worker = new Worker(program, {
    eval: true,
    workerData,
    execArgv: [],
    resourceLimits: {
      maxYoungGenerationSizeMb: nurseryMb,
      ...(mostHeapMb !== undefined && { maxOldGenerationSizeMb: mostHeapMb }),
    },
  })
  worker.on('error', () => {})
  worker.unref()
  return { worker, beat: new Int32Array(beat) }
}

type Listener = {
  heard: (event: LinkEvent & { is: 'linked' | 'progress' | 'in-step' }) => void
  status: (status: LinkStatus) => void
  /** `end` is null if it died without a word: of `error`, if that is known. */
  ended: (end: LinkEnd | { is: 'stopped' } | null, error: Error | null) => void
}

/** A thread that keeps one folder in sync. Whatever happens in it, `ended` is called once. */
export class LinkThread {
  readonly #worker: Worker
  readonly #beat: Int32Array
  #lastBeat = 0
  #missed = 0
  #isKilled = false
  #end: LinkEnd | { is: 'stopped' } | null = null
  #killing: NodeJS.Timeout | null = null

  constructor({ worker, beat }: Begun, start: LinkStart, listener: Listener) {
    this.#worker = worker
    this.#beat = beat
    let error: Error | null = null
    worker.ref()
    worker.on('error', (thrown) => {
      error = thrown
    })
    worker.on('message', (message: FromLinkThread) => {
      if (message.is === 'status') listener.status(message.status)
      else if (message.is !== 'ended') listener.heard(message)
      else {
        this.#end = message.end
        this.#killAfter(lastMs)
      }
    })
    const ended = () => {
      if (this.#killing) clearTimeout(this.#killing)
      listener.ended(this.#end, error)
    }
    // One that was started early may have died before it was needed.
    if (worker.threadId === -1) setImmediate(ended)
    else worker.once('exit', ended)
    this.#tell({ is: 'start', ...start })
  }

  /** Asks it to end, and ends it if it does not. */
  stop(): void {
    this.#tell({ is: 'stop' })
    this.#killAfter(politeMs)
  }

  /** Ends it whatever it does; false if that was tried already. */
  kill(): boolean {
    const isFirst = !this.#isKilled
    this.#isKilled = true
    void this.#worker.terminate()
    return isFirst
  }

  /** How often in a row it showed no sign of life when this was called. */
  missedBeats(): number {
    const beat = Atomics.load(this.#beat, 0)
    this.#missed = beat === this.#lastBeat ? this.#missed + 1 : 0
    this.#lastBeat = beat
    return this.#missed
  }

  #killAfter(ms: number): void {
    this.#killing ??= setTimeout(() => this.kill(), ms)
  }

  #tell(message: ToLinkThread): void {
    this.#worker.postMessage(message)
  }
}
