import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { DeviceId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'

const Told = z.looseObject({ event: z.string() })
const Linked = z.looseObject({ event: z.literal('linked'), device: DeviceId })
const Ready = z.looseObject({ event: z.literal('ready'), files: z.number() })
const Progress = z.looseObject({ event: z.literal('progress'), sent: z.number(), toSend: z.number() })
const Failed = z.looseObject({
  event: z.literal('error'),
  message: z.string(),
  nextStep: z.string().nullable(),
})

export type LinkProgress = { sent: number; toSend: number }

const lookMs = 40

/** Reads the output of a link in the background, until folder and run are in step. */
export class LinkReports {
  /** The device as which the folder writes. */
  readonly device: Promise<DeviceId>
  /** Resolves when folder and run are the same for the first time. */
  readonly inStep: Promise<{ files: number }>
  readonly #file: string
  readonly #onProgress: (how: LinkProgress) => void
  readonly #looking: NodeJS.Timeout
  readonly #rejects: ((why: unknown) => void)[] = []
  #isLinked: (device: DeviceId) => void = () => {}
  #isReady: (told: { files: number }) => void = () => {}
  #hasLinked = false
  #from = 0

  constructor(file: string, onProgress: (how: LinkProgress) => void) {
    this.#file = file
    this.#onProgress = onProgress
    this.device = new Promise((resolve, reject) => {
      this.#isLinked = resolve
      this.#rejects.push(reject)
    })
    this.inStep = new Promise((resolve, reject) => {
      this.#isReady = resolve
      this.#rejects.push(reject)
    })
    // A caller that waits for one of them must not fail because the other rejects.
    for (const one of [this.device, this.inStep]) one.catch(() => {})
    this.#looking = setInterval(() => this.#look(), lookMs)
  }

  /** The link has ended: promises that have not resolved reject with this reason. */
  over(why: unknown): void {
    this.#look()
    clearInterval(this.#looking)
    for (const reject of this.#rejects) reject(why)
  }

  /** Whether the link has taken the folder. */
  hasLinked(): boolean {
    this.#look()
    return this.#hasLinked
  }

  /** The last error that the link has printed; null if there is none. */
  lastWords(): { message: string; nextStep: string | null } | null {
    const lines = this.#all().trim().split('\n')
    const failed = lines.map((line) => Failed.safeParse(parsed(line)).data).findLast((one) => one)
    if (failed) return failed
    const said = lines.filter((line) => line !== '' && parsed(line) === null).slice(-4)
    return said.length === 0 ? null : { message: said.join('\n'), nextStep: null }
  }

  #all(): string {
    try {
      return readFileSync(this.#file, 'utf8')
    } catch {
      return ''
    }
  }

  #look(): void {
    for (const line of this.#newLines()) {
      const told = parsed(line)
      const linked = Linked.safeParse(told).data
      if (linked) {
        this.#hasLinked = true
        this.#isLinked(linked.device)
      }
      const progress = Progress.safeParse(told).data
      if (progress) this.#onProgress(progress)
      const ready = Ready.safeParse(told).data
      if (!ready) continue
      this.#isReady({ files: ready.files })
      clearInterval(this.#looking)
    }
  }

  #newLines(): string[] {
    const { size } = statSync(this.#file, { throwIfNoEntry: false }) ?? { size: null }
    // The file may be gone together with the state folder; the daemon notices that.
    if (size === null) return []
    // A link that is started again truncates the file.
    if (size < this.#from) this.#from = 0
    const read = bytesFrom(this.#file, this.#from)
    const end = read.lastIndexOf(10) + 1
    this.#from += end
    return read.subarray(0, end).toString('utf8').split('\n')
  }
}

function bytesFrom(file: string, from: number): Buffer {
  const opened = openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    for (let at = from; ; ) {
      const piece = Buffer.alloc(65_536)
      const length = readSync(opened, piece, 0, piece.length, at)
      if (length === 0) return Buffer.concat(pieces)
      pieces.push(piece.subarray(0, length))
      at += length
    }
  } finally {
    closeSync(opened)
  }
}

function parsed(line: string): unknown {
  try {
    return Told.safeParse(JSON.parse(line)).data ?? null
  } catch {
    // A line for users, not for programs.
    return null
  }
}
